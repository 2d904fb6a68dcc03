import { useId } from "react";
import type { ReactNode } from "react";
import type { Offer, Outcome } from "~/gate/kinds/requirement";
import type { PublicSettings } from "~/platform/config/public-settings";
import { Button, ButtonLink } from "~/ui/button";
import { ChecklistStep } from "../entry/checklist-step";
import type { Status } from "../entry/checklist-step";
import { chainName } from "./key-words";
import { amountsText, toRequirementGroup } from "./requirement-rows";
import type { RequirementGroup, RequirementRow } from "./requirement-rows";
import type { RequirementNode } from "./requirement-tree";

/** Who says it: the server, once a wallet is proven, or the wallet's own network before that. */
type Source = "server" | "wallet";

type RequirementListProps = {
  requirements: RequirementNode;
  source: Source;
  settings: PublicSettings;
  /** In the demo, tokens are given here. */
  onGetDemoToken: (token: string) => void;
};

/** What a key asks for, a row for each thing: whether it is met, what is needed and held, where to get it. */
export function RequirementList({ requirements, ...drawing }: RequirementListProps) {
  const group = toRequirementGroup(requirements);
  return (
    <div className="stack requirements">
      <Group group={group} {...drawing} />
    </div>
  );
}

type Drawing = Omit<RequirementListProps, "requirements">;

function Group({ group, ...drawing }: { group: RequirementGroup } & Drawing) {
  const titleId = useId();
  const { type, outcome, of, hasUntold } = group;
  const isDone = type === "any" && outcome === "met";
  return (
    <div className="requirement-group">
      <p id={titleId} className="requirement-title">
        {of.length + (hasUntold ? 1 : 0) > 1 ? groupWords[type] : "This is asked for"}
        {type === "any" && outcome !== null ? `: ${outcomeWords(outcome, drawing.source).toLowerCase()}` : ""}
      </p>
      <ul className="stack checklist" aria-labelledby={titleId}>
        {of.map((each, index) =>
          each.type === "leaf" ? (
            <Row key={index} row={each} hasOffer={!isDone} {...drawing} />
          ) : (
            <li key={index}>
              <Group group={each} {...drawing} />
            </li>
          ),
        )}
        {hasUntold ? (
          <li className="soft requirement-untold">Something else, which this site does not tell.</li>
        ) : null}
      </ul>
    </div>
  );
}

const groupWords = { all: "All of these", any: "One of these" };

type RowProps = { row: RequirementRow; hasOffer: boolean } & Drawing;

function Row({ row, hasOffer, source, settings, onGetDemoToken }: RowProps) {
  const { label, isNegated, outcome, chainId, offer } = row;
  const chain = chainId === null ? "" : `On ${chainName(chainId, settings)}.`;
  const detail = [amountsText(row), chain].filter(Boolean).join(" ");
  return (
    <ChecklistStep
      status={statuses[outcome]}
      title={isNegated ? `Not: ${label}` : label}
      words={outcomeWords(outcome, source)}
      detail={detail}
    >
      {offer && hasOffer && outcome !== "met" && !isNegated ? (
        <OfferLink offer={offer} isDemo={settings.mode === "demo"} onGetDemoToken={onGetDemoToken} />
      ) : null}
    </ChecklistStep>
  );
}

const statuses: Record<Outcome, Status> = { met: "done", unmet: "attention", unknown: "unknown" };

function outcomeWords(outcome: Outcome, source: Source): string {
  if (outcome !== "unknown") return outcome === "met" ? "Met" : "Not met";
  return source === "server" ? "Cannot be checked right now" : "Checked when you sign in";
}

type OfferLinkProps = { offer: Offer; isDemo: boolean; onGetDemoToken: (token: string) => void };

function OfferLink({ offer: { url, text }, isDemo, onGetDemoToken }: OfferLinkProps): ReactNode {
  const token = isDemo ? demoTokenOf(url) : null;
  if (token === null) {
    return (
      <ButtonLink to={url} tone="quiet" isNewTab>
        {text}
      </ButtonLink>
    );
  }
  return (
    <Button tone="quiet" onClick={() => onGetDemoToken(token)}>
      {text}
    </Button>
  );
}

/** The demo's own tokens are at the faucet, which is asked by this page. */
function demoTokenOf(url: string): string | null {
  const { pathname, searchParams } = new URL(url);
  return pathname === "/demo/faucet" ? searchParams.get("token") : null;
}
