import { useId } from "react";
import type { ReactNode } from "react";
import { opposite } from "../../kinds/requirement";
import type { Offer, Outcome } from "../../kinds/requirement";
import type { PublicSettings } from "~/platform/config/public-settings";
import { Button, ButtonLink } from "~/ui/button";
import { ChecklistStep } from "../entry/checklist-step";
import type { Status } from "../entry/checklist-step";
import { chainName } from "./key-words";
import type { RequirementReport, LeafReport } from "../../kinds/requirement-report";
import { formatAmount } from "../../kinds/requirement-report";

/** The server checks a proven wallet; before that, the wallet's network is read. */
type Source = "server" | "wallet";

type RequirementListProps = {
  requirements: RequirementReport;
  source: Source;
  settings: PublicSettings;
  onGetDemoToken: (token: string) => void;
};

/** A row for each requirement. */
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
        {of.length + (hasUntold ? 1 : 0) > 1 ? groupWords[type] : "Requirement"}
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
          <li className="soft requirement-untold">Something else that this site keeps secret.</li>
        ) : null}
      </ul>
    </div>
  );
}

const groupWords = { all: "All of these", any: "One of these" };

type RowProps = { row: RequirementRow; hasOffer: boolean } & Drawing;

function Row({ row, hasOffer, source, settings, onGetDemoToken }: RowProps) {
  const { label, isNegated, outcome, chainId, get: offer } = row;
  const chain = chainId === undefined ? "" : `On ${chainName(chainId, settings)}.`;
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
  return source === "server" ? "Can’t be checked right now" : "We’ll check when you sign in";
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

/** The page itself requests the demo's tokens. */
function demoTokenOf(url: string): string | null {
  const { pathname, searchParams } = new URL(url);
  return pathname === "/demo/faucet" ? searchParams.get("token") : null;
}

/** One leaf. `isNegated`: it must not be held, and `outcome` says whether that is met. */
export type RequirementRow = LeafReport & { type: "leaf"; isNegated: boolean };

/** `outcome` is null if it could reveal a secret leaf. */
export type RequirementGroup = {
  type: "all" | "any";
  outcome: Outcome | null;
  of: (RequirementRow | RequirementGroup)[];
  /** Whether something secret is required too. */
  hasUntold: boolean;
};

/** The tree as groups of rows. A `not` moves down to the leaves, and a group within a group of its type is merged. */
export function toRequirementGroup(report: RequirementReport): RequirementGroup {
  const drawn = draw(report, false);
  return drawn.type === "all" || drawn.type === "any"
    ? drawn
    : toGroup("all", drawn.type === "leaf" ? drawn.outcome : null, [drawn]);
}

type Drawn = RequirementGroup | RequirementRow | { type: "secret" };

function draw(report: RequirementReport, isNegated: boolean): Drawn {
  if ("secret" in report) return { type: "secret" };
  if ("not" in report) return draw(report.not, !isNegated);
  const outcome = isNegated ? opposite[report.outcome] : report.outcome;
  if ("label" in report) return { ...report, type: "leaf", isNegated, outcome };
  // "Not all of them" means "not one of them", and the other way round.
  const type = "all" in report !== isNegated ? "all" : "any";
  const of = ("all" in report ? report.all : report.any).map((each) => draw(each, isNegated));
  return of.length === 1 ? of[0]! : toGroup(type, outcome, of);
}

function toGroup(type: "all" | "any", outcome: Outcome | null, members: readonly Drawn[]): RequirementGroup {
  const merged = members.flatMap((each): Drawn[] =>
    each.type === type ? [...each.of, ...(each.hasUntold ? [{ type: "secret" } as const] : [])] : [each],
  );
  const of = merged.filter((each) => each.type !== "secret");
  const hasUntold = of.length < merged.length;
  const isSilent = hasUntold || of.some((each) => each.outcome === null);
  return { type, outcome: isSilent ? null : outcome, of, hasUntold };
}

/** Needed and held amounts, in people's units if the token's decimals are known. */
export function amountsText({ needed, held, decimals, isNegated }: RequirementRow): string {
  const facts = [
    needed && `Needed: ${isNegated ? lessThan(needed, decimals) : inUnits(needed, decimals)}.`,
    held && `Held: ${inUnits(held, decimals)}.`,
  ];
  return facts.filter(Boolean).join(" ");
}

function lessThan(needed: string, decimals: number | undefined): string {
  if (!/^\d+$/.test(needed)) return `no ${needed}`;
  return needed === "1" && !decimals ? "none" : `less than ${inUnits(needed, decimals)}`;
}

/** "valid membership" is not a number and stays as it is. */
function inUnits(amount: string, decimals: number | undefined): string {
  return /^\d+$/.test(amount) ? formatAmount(amount, decimals ?? 0) : amount;
}
