import { join, sqltag } from "@prisma/client/runtime/client";
import type { Database } from "~/platform/database/database.server";
import type { Decision } from "./decision-buffer";

export type DecisionStore = ReturnType<typeof createDecisionStore>;

export function createDecisionStore(database: Database) {
  /** One statement. What is there already stays: a batch whose answer was lost may be written again. */
  async function insertDecisions(decisions: readonly Decision[]): Promise<void> {
    if (decisions.length === 0) return;
    const rows = decisions.map(
      (its) =>
        sqltag`(${its.id}, ${BigInt(its.atMs)}, ${its.route}, ${its.outcome}, ${its.slug}, ${its.reason}, ${its.proof}, ${its.address}, ${its.tokenId}, ${its.clientId}, ${its.requestId})`,
    );
    await database.$executeRaw`
      INSERT INTO "AccessDecision" ("id", "atMs", "route", "outcome", "slug", "reason", "proof", "address", "tokenId",
        "clientId", "requestId")
      VALUES ${join(rows)}
      ON CONFLICT ("id") DO NOTHING`;
  }

  return { insertDecisions };
}
