import { useId } from "react";
import type { Outcome } from "~/gate/kinds/requirement";
import type { PublicSettings } from "~/platform/config/public-settings";
import { chainName, opensText } from "./key-words";
import type { KeyChoice } from "./key-choice";
import { chosenKind, findingOf, usabilityOf } from "./key-choice";
import { kindNamed } from "./page-kind";
import type { PageKind, PageKinds } from "./page-kind";

type KindListProps = { kinds: PageKinds; settings: PublicSettings };

/** Shown before a wallet is connected. */
export function KindList({ kinds, settings }: KindListProps) {
  const titleId = useId();
  return (
    <section className="stack-close kinds" aria-labelledby={titleId}>
      <h3 id={titleId}>Keys that work here</h3>
      <ul className="kind-list">
        {kinds.map((kind) => (
          <li key={kind.name} className="kind">
            <div className="kind-words">
              <strong className="kind-title">{kind.title}</strong>
              <KindWords kind={kind} settings={settings} />
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

type KindChoiceProps = KindListProps & {
  choice: KeyChoice;
  isBlocked: boolean;
  onChoose: (kindName: string) => void;
};

/** Usable kinds first. */
export function KindChoice({ kinds, settings, choice, isBlocked, onChoose }: KindChoiceProps) {
  const group = useId();
  const chosen = chosenKind(kinds, choice);
  const inOrder = choice.findings?.map(({ name }) => kindNamed(kinds, name)) ?? kinds;
  return (
    <fieldset className="kinds">
      <legend>With which key?</legend>
      <div className="kind-list">
        {inOrder.map((kind) => (
          <KindOption
            key={kind.name}
            kind={kind}
            settings={settings}
            choice={choice}
            group={group}
            isChosen={kind.name === chosen.name}
            onChoose={() => (isBlocked ? undefined : onChoose(kind.name))}
          />
        ))}
      </div>
    </fieldset>
  );
}

type KindOptionProps = {
  kind: PageKind;
  settings: PublicSettings;
  choice: KeyChoice;
  group: string;
  isChosen: boolean;
  onChoose: () => void;
};

function KindOption({ kind, settings, choice, group, isChosen, onChoose }: KindOptionProps) {
  const id = useId();
  return (
    <div className="kind kind-choice">
      <input
        id={id}
        type="radio"
        name={group}
        value={kind.name}
        checked={isChosen}
        onChange={onChoose}
        aria-describedby={`${id}-words`}
      />
      <div className="kind-words">
        <label htmlFor={id} className="kind-title">
          {kind.title}
        </label>
        <span id={`${id}-words`} className="kind-words">
          <KindWords kind={kind} settings={settings} />
          <span className="kind-usable" data-outcome={usabilityOf(kind, findingOf(choice, kind))}>
            {usableText(kind, choice)}
          </span>
        </span>
      </div>
    </div>
  );
}

function KindWords({ kind, settings }: { kind: PageKind; settings: PublicSettings }) {
  const { standard, chainId, opens, requirement } = kind;
  const isMembership = standard === "membership";
  const more = requirement === null ? "" : ", and something more";
  return (
    <>
      <span>Opens {opensText(opens)}.</span>{" "}
      <span className="soft">
        {isMembership
          ? "Open to any wallet that meets these requirements."
          : `A token on ${chainName(chainId, settings)}${more}.`}
      </span>
    </>
  );
}

const usableWords: Record<Outcome, string> = {
  met: "This wallet can use it",
  unmet: "Something is missing",
  unknown: "We’ll check when you sign in",
};

function usableText(kind: PageKind, choice: KeyChoice): string {
  return choice.findings === null
    ? "Looking in your wallet"
    : usableWords[usabilityOf(kind, findingOf(choice, kind))];
}
