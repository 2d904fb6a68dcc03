import { Field } from "~/ui/field";
import type { CheckForm, CheckPageData, CheckedKind, CheckedNode, CheckedPart } from "../check/check-view";
import { Moment } from "./moment";

/** A GET form, so that the address repeats the check. */
export function CheckPage({ form, result }: CheckPageData) {
  return (
    <>
      <CheckFields form={form} />
      {result === null ? null : (
        <>
          <p className="soft">
            Checked at <Moment atMs={result.readAtMs} /> UTC for{" "}
            <code className="operator-check-address">{result.address}</code>
          </p>
          {result.kinds.map((kind) => (
            <KindSection key={kind.name} kind={kind} />
          ))}
        </>
      )}
    </>
  );
}

function CheckFields({ form: { address, tokenId, faults } }: { form: CheckForm }) {
  const typing = { maxLength: 100, autoComplete: "off", spellCheck: false };
  return (
    <form method="get" action="/operator/check" className="operator-panel operator-check-form">
      <Field
        label="Wallet address"
        name="address"
        defaultValue={address}
        fault={faults.address}
        required
        {...typing}
      />
      <Field
        label="Id of the key"
        hint="For kinds with tokens. Without an id, only their other requirements are checked."
        name="tokenId"
        defaultValue={tokenId}
        fault={faults.tokenId}
        inputMode="numeric"
        {...typing}
      />
      <button type="submit" className="operator-button operator-button-strong">
        Check
      </button>
    </form>
  );
}

const outcomes: Record<CheckedKind["outcome"], { word: string; tone: string }> = {
  met: { word: "met", tone: "success" },
  unmet: { word: "not met", tone: "problem" },
  unknown: { word: "unknown", tone: "warning" },
  "not-asked": { word: "no id given", tone: "plain" },
};

function KindSection({ kind }: { kind: CheckedKind }) {
  const { name, title, outcome, key, requirement, kept, blocks } = kind;
  const id = `kind-${name}`;
  return (
    <section className="stack" aria-labelledby={id}>
      <h2 id={id} className="operator-check-head">
        <Badge outcome={outcome} /> {title} <code>{name}</code>
      </h2>
      <ul className="operator-panel operator-check-tree">
        {key === null ? null : <PartRow part={key} />}
        {requirement === null ? null : <NodeRow node={requirement} />}
        {kept === null ? null : <KeptRow kept={kept} />}
        {blocks.length === 0 ? null : <li className="soft">{blocks.join(" ")}</li>}
        {outcome === "not-asked" ? (
          <li className="soft">
            {requirement === null ? "" : "The key itself was not checked. "}
            Enter the id of a key to check it.
          </li>
        ) : null}
      </ul>
    </section>
  );
}

function Badge({ outcome }: Pick<CheckedKind, "outcome">) {
  const { word, tone } = outcomes[outcome];
  return <span className={`operator-badge tone-${tone}`}>{word}</span>;
}

function NodeRow({ node }: { node: CheckedNode }) {
  if (node.type === "leaf") return <PartRow part={node} />;
  return (
    <li>
      <Badge outcome={node.outcome} /> {node.words}:
      <ul>
        {node.of.map((inner, index) => (
          // Never reordered here.
          <NodeRow key={index} node={inner} />
        ))}
      </ul>
    </li>
  );
}

function PartRow({ part }: { part: CheckedPart | Extract<CheckedNode, { type: "leaf" }> }) {
  const { label, outcome, facts } = part;
  const isSecret = "isSecret" in part && part.isSecret;
  return (
    <li>
      <Badge outcome={outcome} /> <strong>{label}</strong>{" "}
      {"index" in part ? <span className="soft">leaf {part.index}</span> : null}{" "}
      {isSecret ? <span className="operator-badge tone-info">secret</span> : null}
      <span className="operator-check-facts soft">{facts.join("; ")}</span>
    </li>
  );
}

function KeptRow({ kept: { usedBy, usedAtMs, departedAtMs } }: { kept: NonNullable<CheckedKind["kept"]> }) {
  return (
    <li className="soft">
      {usedBy === null || usedAtMs === null ? (
        "Not used up. "
      ) : (
        <>
          <strong>Used up</strong> by <code>{usedBy}</code> at <Moment atMs={usedAtMs} />.{" "}
        </>
      )}
      {departedAtMs === null ? (
        "Never seen leaving this wallet."
      ) : (
        <>
          Last seen leaving this wallet at <Moment atMs={departedAtMs} />.
        </>
      )}
    </li>
  );
}
