// Asks the package registry for known vulnerabilities in production packages. Exit codes: 0 none that is grave, 1 high
// or critical ones, 2 registry unreachable, so nothing is known.
import { execFile } from "node:child_process";
import * as z from "zod";
import { findJson } from "~/platform/text/json";

/** The output of `npm audit --json` if the registry answered. Any other output reports a failure. */
const reportSchema = z.object({
  vulnerabilities: z.record(
    z.string(),
    z.object({
      severity: z.enum(["info", "low", "moderate", "high", "critical"]),
      via: z.array(z.union([z.string(), z.object({ title: z.string(), url: z.string() })])),
    }),
  ),
  metadata: z.object({ dependencies: z.object({ prod: z.number() }) }),
});
type Report = z.infer<typeof reportSchema>;

/** npm's output and errors, whatever its exit code. npm's own settings come from the environment. */
function runNpm(parameters: readonly string[]): Promise<{ output: string; complaint: string }> {
  // On Windows npm is a script that only a shell can start.
  const options = { shell: process.platform === "win32", maxBuffer: Infinity };
  return new Promise((resolve) => {
    execFile("npm", parameters, options, (_error, output, complaint) => resolve({ output, complaint }));
  });
}

function findReason(failure: unknown, complaint: string): string {
  const { message } = Object(failure) as { message?: unknown };
  if (typeof message === "string") return message;
  const line = complaint.split("\n").find((one) => one.startsWith("npm error"));
  return line?.replace(/^npm error /, "") ?? "npm gave no reason";
}

/** High and critical findings count. Lesser ones are only listed. */
function tell({ vulnerabilities, metadata }: Report): void {
  const findings = Object.entries(vulnerabilities).map(([name, { severity, via }]) => {
    const causes = via.map((one) => (typeof one === "string" ? `by ${one}` : `${one.title}, ${one.url}`));
    const isGrave = severity === "high" || severity === "critical";
    return { isGrave, text: `${severity}: ${name} (${causes.join("; ")})` };
  });
  findings.sort((one, other) => Number(other.isGrave) - Number(one.isGrave));
  for (const { text } of findings) console.log(text);
  const grave = findings.filter(({ isGrave }) => isGrave).length;
  const lesser = findings.length - grave;
  console.log(
    `${metadata.dependencies.prod} packages, ${grave} high or critical, ${lesser} lesser findings.`,
  );
  if (grave > 0) process.exitCode = 1;
}

const { output, complaint } = await runNpm(["audit", "--omit=dev", "--package-lock-only", "--json"]);
const report = reportSchema.safeParse(findJson(output));
if (report.success) tell(report.data);
else {
  console.error(`The registry could not be asked: ${findReason(findJson(output), complaint)}`);
  console.error("Nothing was checked. Run this again where npm's registry answers audits.");
  process.exitCode = 2;
}
