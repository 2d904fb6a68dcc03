import { z } from "zod";

/** What `npm audit --json` prints when it was answered; all else it prints is about not being answered. */
const reportSchema = z.object({
  vulnerabilities: z.record(
    z.string(),
    z.object({
      severity: z.enum(["info", "low", "moderate", "high", "critical"]),
      via: z.array(z.union([z.string(), z.object({ title: z.string(), url: z.string() })])),
    }),
  ),
  metadata: z.object({ dependencies: z.object({ prod: z.number(), total: z.number() }) }),
});

export type AuditVerdict =
  | { outcome: "clean" | "findings"; grave: string[]; slight: string[]; packageCount: number }
  | { outcome: "not-asked"; reason: string };

/** High and critical findings count, lesser ones are only named. */
export function judgeAudit({ output, complaint }: { output: string; complaint: string }): AuditVerdict {
  const report = reportSchema.safeParse(parseJson(output));
  if (!report.success) return { outcome: "not-asked", reason: findReason(output, complaint) };
  const findings = Object.entries(report.data.vulnerabilities).map(([name, { severity, via }]) => ({
    isGrave: severity === "high" || severity === "critical",
    text: `${severity}: ${name} (${via.map((one) => (typeof one === "string" ? `by ${one}` : `${one.title}, ${one.url}`)).join("; ")})`,
  }));
  const grave = findings.filter(({ isGrave }) => isGrave).map(({ text }) => text);
  const slight = findings.filter(({ isGrave }) => !isGrave).map(({ text }) => text);
  const packageCount = report.data.metadata.dependencies.prod;
  return { outcome: grave.length > 0 ? "findings" : "clean", grave, slight, packageCount };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const failureSchema = z.object({ message: z.string() });

function findReason(output: string, complaint: string): string {
  const failure = failureSchema.safeParse(parseJson(output));
  if (failure.success) return failure.data.message;
  const line = complaint.split("\n").find((one) => one.startsWith("npm error"));
  return line?.replace(/^npm error /, "") ?? "npm gave no reason";
}
