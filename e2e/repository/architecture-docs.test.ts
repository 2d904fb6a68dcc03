import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

test("the copy that docs/databases.md shows has as many tables as the schema", () => {
  const tables = readFileSync("prisma/schema.prisma", "utf8").match(/^model /gm)!;
  expect(readFileSync("docs/databases.md", "utf8")).toContain(`rows in ${tables.length} tables.`);
});

const text = readFileSync("docs/architecture.md", "utf8");

/** The folders of the drawing under "Folders", as paths from the project's folder. */
function readDrawnFolders(): string[] {
  const drawing = /^## Folders\n+```\n([^]*?)^```$/m.exec(text)![1]!;
  const above: string[] = [];
  return drawing.split("\n").flatMap((line) => {
    const [, branch = "", names = ""] = /^([│├└─ ]*)([^\s,]+(?:, [^\s,]+)*)/.exec(line) ?? [];
    const folder = names.split(", ").find((name) => name.endsWith("/"));
    if (folder === undefined) return [];
    const depth = branch.length / 4;
    above.splice(depth, above.length, folder.slice(0, -1));
    return [path.join(...above)];
  });
}

function listFolders(dir: string): string[] {
  return readdirSync(dir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => path.join(dir, name));
}

test("the drawing of docs/architecture.md has every folder of app and the folders in it, and no other", () => {
  const drawn = readDrawnFolders();
  expect(drawn.filter((folder) => !existsSync(folder))).toEqual([]);
  const inApp = listFolders("app").filter((folder) => folder !== path.join("app", "generated"));
  const there = [...inApp, ...inApp.flatMap(listFolders), ...listFolders("e2e").filter(isVisible)];
  expect(there.filter((folder) => !drawn.includes(folder))).toEqual([]);
});

const isVisible = (folder: string) => !path.basename(folder).startsWith(".");

test("every path that docs/architecture.md names is there", () => {
  const named = [...text.matchAll(/`([\w.-]+\/[\w./-]+)`/g)].map(([, name = ""]) => name);
  const isThere = (name: string) => existsSync(name) || existsSync(path.join("app", name));
  // Made by `npm run generate` and the build.
  const isMade = (name: string) => /^(?:app\/generated|build|public\/build)\//.test(name);
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((name) => !isMade(name) && !isThere(name))).toEqual([]);
});

test("every table of the schema stands under State", () => {
  const models = [...readFileSync("prisma/schema.prisma", "utf8").matchAll(/^model (\w+)/gm)];
  const [, state = ""] = text.split("\n## State\n");
  expect(models.map(([, name]) => name).filter((name) => !state.includes(`\`${name}\``))).toEqual([]);
});
