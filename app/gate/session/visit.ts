import type { GatedContent } from "~/content/content.schema";
import type { SignedIn, SignedOut } from "./session.schema";

/** The members of a Problem Details body, where the API does not carry them. */
export type VisitProblem = {
  type: string;
  title: string;
  status: number;
  detail: string;
  /** Seconds until asking again makes sense. */
  retryAfter?: number;
};

/** What the cookie alone tells the server about a visitor of the gate's page. */
export type GateVisit =
  /** Nobody, or somebody whose session has ended. */
  | { kind: "outside"; session: SignedOut }
  /** There is a session, but what it is worth could not be found out. */
  | { kind: "unknown"; problem: VisitProblem }
  | { kind: "inside"; session: SignedIn; content: GatedContent };
