import type { Address } from "viem";
import { addressSchema } from "~/gate/proofs/gate-bodies";
import { tokenIdSchema } from "~/gate/kinds/token-id";
import type { KeyKind } from "~/gate/kinds/kind";
import type { SurveyQuestion, SurveyedKind } from "~/gate/ownership/survey.server";
import type { Clock } from "~/platform/time/clock";
import type { Actor } from "../audit.store.server";
import type { SessionStore } from "../sessions.store.server";
import type { CheckForm, CheckPageData } from "./check-view";
import { describeKind } from "./describe-kind.server";

export type CheckDependencies = {
  kinds: readonly KeyKind[];
  survey: (question: SurveyQuestion) => Promise<SurveyedKind[]>;
  sessions: Pick<SessionStore, "recordAudit">;
  clock: Clock;
};

export type CheckRequest = {
  searchParams: URLSearchParams;
  actor: Actor;
  /** Called before anything is asked; what it throws ends the check. */
  requireWithinLimit: () => Promise<unknown>;
};

/** Without an address only the form. A check is audited before the chains are asked. */
export async function check(
  { searchParams, actor, requireWithinLimit }: CheckRequest,
  { kinds, survey, sessions, clock }: CheckDependencies,
): Promise<CheckPageData> {
  const form = readCheckForm(searchParams);
  const { address, tokenId, faults } = form;
  if (address === "" && tokenId === "") return { form, result: null };
  if (faults.address !== null || faults.tokenId !== null) return { form, result: null };
  await requireWithinLimit();
  const detail = { address, ...(tokenId !== "" && { tokenId }) };
  await sessions.recordAudit({ ...actor, kind: "operator-check", detail });
  const holder = address as Address;
  const surveyed = await survey({ kinds, holder, tokenId: tokenId === "" ? null : tokenId });
  return { form, result: { address, kinds: surveyed.map(describeKind), readAtMs: clock() } };
}

/** Long enough for an address or an id with some space around it. */
const maxTypedChars = 100;

export function readCheckForm(searchParams: URLSearchParams): CheckForm {
  const [address, tokenId] = ["address", "tokenId"].map((name) => {
    return (searchParams.get(name) ?? "").trim().slice(0, maxTypedChars);
  }) as [string, string];
  const parsed = addressSchema.safeParse(address);
  const id = tokenIdSchema.safeParse(tokenId);
  const isAddressWrong = !parsed.success && (address !== "" || tokenId !== "");
  return {
    address: parsed.success ? address.toLowerCase() : address,
    tokenId: id.success ? id.data : tokenId,
    faults: {
      address: isAddressWrong ? "This is no wallet address: 0x and 40 hex digits." : null,
      tokenId: tokenId === "" || id.success ? null : "This is no id of a key: digits only, at most 2^256-1.",
    },
  };
}
