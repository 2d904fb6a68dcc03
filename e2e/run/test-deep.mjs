// Long tests that `npm test` omits: operations, faults, process races, the server on PostgreSQL, variations of journeys
// on PostgreSQL, and other releases of Node.
import { prepare, projectDir } from "../../app/commands/prepare.mjs";
import { finish, runChecks, runJourneys, runVitest } from "./tests.mjs";
import { testOnOtherNodes } from "./test-node.mjs";

const part = process.argv[2];
const isWanted = (name) => !part || part === name;

process.chdir(projectDir);
await prepare();
await runChecks([{ name: "build", parameters: ["app/commands/build.mjs"] }]);
if (isWanted("unit")) await runVitest({ name: "deep tests", parameters: ["--project", "deep*"] });
if (isWanted("e2e")) {
  // `npm test` runs the usual ones on SQLite.
  const database = process.env.TEST_DATABASE || "postgresql";
  await runJourneys({
    name: `variations of journeys on ${database}`,
    project: "deep",
    env: { TEST_DATABASE: database },
  });
}
if (isWanted("node")) await testOnOtherNodes();
finish();
