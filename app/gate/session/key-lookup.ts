import type { TokenStatus } from "../proofs/gate.schema";
import type { VisitProblem } from "./visit";

/** The public question whether a key was used, asked by a plain form: it needs no script. */
export type KeyLookup = { asked: string } & ({ answer: TokenStatus } | { problem: VisitProblem });

/** Name of the field, and of the parameter in the page's address. */
export const lookupParameter = "lookup";
