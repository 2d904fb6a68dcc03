import { refuseDemoSecret } from "./demo-secret";
import { minSecretChars, requireStrongSecret } from "./secret-strength";
import type { SettingReader } from "./setting-reader";

export type OperatorSettings = ReturnType<typeof readOperator>;

export function readOperator({
  reader,
  mode,
}: {
  reader: SettingReader;
  mode: "production" | "development" | "demo";
}) {
  refuseDemoSecret({ reader, mode, name: "OPERATOR_SECRET" });
  requireStrongSecret({ reader, mode, name: "OPERATOR_SECRET", minChars: minSecretChars });
  return {
    /** null: there is no operator's view. */
    secret: reader.findText("OPERATOR_SECRET"),
    // Not below twice the grain in which a session's last use is written down.
    idleSeconds: reader.getInteger({ name: "OPERATOR_SESSION_IDLE_SECONDS", min: 120, max: 86_400 }),
    maxSeconds: reader.getInteger({ name: "OPERATOR_SESSION_MAX_SECONDS", min: 300, max: 604_800 }),
    decisionDays: reader.getInteger({ name: "OPERATOR_DECISIONS_DAYS", min: 0, max: 365 }),
    maxDecisions: reader.getInteger({ name: "OPERATOR_DECISIONS_MAX", min: 100, max: 1_000_000 }),
    activityDays: reader.getInteger({ name: "OPERATOR_ACTIVITY_DAYS", min: 1, max: 400 }),
    auditDays: reader.getInteger({ name: "OPERATOR_AUDIT_DAYS", min: 1, max: 3650 }),
  };
}
