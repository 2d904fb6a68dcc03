import type { ApiDocument } from "~/reference/read-operations";
import { buildApiDocument } from "~/services/api-description.server";
import { distinctLimits } from "./limits";

export const referenceOrigin = "https://gate.example";

/** The document of a demo, which describes every operation. */
export function readTestDocument(): ApiDocument {
  const document = buildApiDocument({ origin: referenceOrigin, limits: distinctLimits(), isDemo: true });
  return JSON.parse(JSON.stringify(document)) as ApiDocument;
}
