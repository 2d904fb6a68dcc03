// Asks the package registry for known faults of what production runs. Exit codes: 0 none that is grave, 1 high or
// critical ones, 2 the registry could not be asked, which says nothing either way.
import { judgeAudit } from "./dependencies/audit-verdict";
import { runNpm } from "./dependencies/run-npm";

const verdict = judgeAudit(await runNpm(["audit", "--omit=dev", "--package-lock-only", "--json"]));
if (verdict.outcome === "not-asked") {
  console.error(`The registry could not be asked: ${verdict.reason}`);
  console.error("Nothing was checked. Run this again where npm's registry answers audits.");
  process.exitCode = 2;
} else {
  for (const finding of [...verdict.grave, ...verdict.slight]) console.log(finding);
  const { grave, slight, packageCount } = verdict;
  console.log(
    `${packageCount} packages, ${grave.length} high or critical, ${slight.length} lesser findings.`,
  );
  if (verdict.outcome === "findings") process.exitCode = 1;
}
