// The suite for every change: static checks, unit and API tests, one journey for each page and flow.
import { prepare, projectDir } from "../../app/commands/prepare.mjs";
import { bin, finish, runChecks, runJourneys, runVitest } from "./tests.mjs";

const build = { name: "build", parameters: ["app/commands/build.mjs"] };
const staticChecks = [
  { name: "lint", parameters: [bin("eslint/bin/eslint.js"), ".", "--max-warnings=0"] },
  { name: "types", parameters: [bin("typescript/bin/tsc"), "--noEmit"] },
  {
    name: "format",
    parameters: [bin("prettier/bin/prettier.cjs"), "--check", ".", "--log-level=warn"],
  },
];

const part = process.argv[2];
const isWanted = (name) => !part || part === name;

process.chdir(projectDir);
await prepare();
// The API tests and the browser use the built server.
await runChecks([...(isWanted("static") ? staticChecks : []), ...(part === "static" ? [] : [build])]);
if (isWanted("unit")) await runVitest({ name: "unit and API tests", parameters: ["--project", "usual"] });
if (isWanted("e2e")) await runJourneys({ name: "browser journeys", project: "usual" });
finish();
