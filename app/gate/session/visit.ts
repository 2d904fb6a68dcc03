import type { GatedContent } from "~/content/content.schema";
import type { SignedIn, SignedOut } from "./session.schema";
import type { TokenStatus } from "../proofs/gate-bodies";

export type VisitProblem = {
  type: string;
  title: string;
  status: number;
  detail: string;
  retryAfter?: number;
};

/** A visitor of the gate's page, as known from the cookie. */
export type GateVisit =
  | { kind: "outside"; session: SignedOut }
  /** The session could not be checked. */
  | { kind: "unknown"; problem: VisitProblem }
  | { kind: "inside"; session: SignedIn; content: GatedContent };

/** The public lookup of a key by a plain form, which needs no script. */
export type KeyLookup = { typed: string } & ({ status: TokenStatus } | { problem: VisitProblem });

export const lookupParameter = "lookup";
