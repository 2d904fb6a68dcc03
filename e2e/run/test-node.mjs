// Tests build, start and the contract on the maintained Node releases, fetched from npm.
import { existsSync, rmSync } from "node:fs";
import path from "node:path";
import { projectDir, run } from "../../app/commands/prepare.mjs";
import { count, runChecks, runVitest } from "./tests.mjs";

const majors = [22, 24];
const files = ["e2e/operations/lifecycle.test.ts", "e2e/api/contract-sweep.test.ts"];

export async function testOnOtherNodes() {
  for (const major of majors) {
    const program = await obtainNode(major);
    if (program === null) continue;
    const version = `Node ${(await run(program, ["--version"], { quiet: true })).trim()}`;
    // First on the path, for programs that tests start by name.
    const env = { PATH: `${path.dirname(program)}${path.delimiter}${process.env.PATH}` };
    rmSync(path.join(projectDir, "build"), { recursive: true, force: true });
    await runChecks([{ name: `build on ${version}`, program, parameters: ["app/commands/build.mjs"], env }]);
    await runVitest({
      name: version,
      program,
      parameters: [...files, "--project", "usual", "--project", "deep"],
      report: `node-${major}.json`,
      env,
    });
  }
}

async function obtainNode(major) {
  const packageName = `node-${process.platform}-${process.arch}`;
  const folder = path.join(projectDir, `node_modules/.cache/latchkey/node-${major}`);
  const program = path.join(folder, "node_modules", packageName, "bin/node");
  if (!existsSync(program)) {
    const wanted = `${packageName}@${major}`;
    const parameters = ["install", "--no-save", "--no-audit", "--no-fund", "--prefix", folder, wanted];
    try {
      await run("npm", parameters, { quiet: true });
    } catch (error) {
      console.error(error.message);
      count({ name: `Node ${major}`, passed: 0, failed: 1 });
      return null;
    }
  }
  return program;
}
