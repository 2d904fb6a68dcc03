import { execFile } from "node:child_process";
import { readdir, readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { initContent } from "./content-init";
import { createContentReader } from "~/content/content.server";
import { createTestDir } from "~e2e/support/databases/database";
import { createKnowledge, openKnowledgeSearch } from "~e2e/support/search/knowledge";

function runClient(
  ...parameters: string[]
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const all = ["--import", "tsx", "app/commands/client.ts", ...parameters];
  return new Promise((resolve) => {
    const child = execFile(process.execPath, all, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    );
  });
}

test("the command names in words what it cannot do, and a wrong call gets the usage", async () => {
  const [unknown, missing, nowhere, none] = await Promise.all([
    runClient("--orgin", "http://localhost:3000"),
    runClient("bearer"),
    runClient("nonce", "--origin", "http://127.0.0.1:1"),
    runClient(),
  ]);
  expect(unknown).toMatchObject({ code: 1, stdout: "" });
  expect(unknown.stderr).toMatch(/^Unknown option '--orgin'.*\n\nUsage: latchkey client/);
  expect(missing).toMatchObject({ code: 1, stdout: "" });
  expect(missing.stderr).toMatch(/^--token is needed\.\n\nUsage: latchkey client/);
  expect(nowhere).toMatchObject({ code: 1, stdout: "" });
  expect(nowhere.stderr).toMatch(/^http:\/\/127\.0\.0\.1:1 could not be reached: .*\n$/);
  expect(none).toMatchObject({
    code: 1,
    stderr: "",
    stdout: expect.stringContaining("mint a key") as string,
  });
  for (const { stderr } of [unknown, missing, nowhere]) expect(stderr).not.toMatch(/^\s+at /m);
}, 60_000);

test("content init writes what a content folder begins with, and never touches what is there", async () => {
  const { contentDir, dataDir, folder } = await createKnowledge();
  await writeFile(path.join(contentDir, "welcome.md"), "# Mine");
  await writeFile(path.join(contentDir, "styles.css"), "");
  process.env.CONTENT_DIR = contentDir;
  const { code, stdout } = await runClient("content", "init").finally(() => delete process.env.CONTENT_DIR);
  const written = ["audio.json.example", "knowledge/page.md.example", "submission.html"];
  expect([code, JSON.parse(stdout)]).toEqual([
    0,
    { folder: contentDir, written, kept: ["styles.css", "welcome.md"] },
  ]);
  expect(await readFile(path.join(contentDir, "welcome.md"), "utf8")).toBe("# Mine");
  expect(await readFile(path.join(contentDir, "styles.css"), "utf8")).toBe("");

  // A holder's copy has no comments, and the examples are not pages yet.
  const wholeDir = path.join(await createTestDir(), "content");
  await initContent(wholeDir);
  const complaints: unknown[] = [];
  const note = (fields: unknown) => complaints.push(fields);
  const reader = createContentReader({
    contentDir: wholeDir,
    clock: Date.now,
    log: { info: note, warn: note },
  });
  const { welcomeText, textSubmissionAreaHtml } = await reader.readContent({
    tokenId: "1",
    signMediaUrl: () => "",
  });
  expect(welcomeText).toMatch(/^# Welcome\n/);
  expect(textSubmissionAreaHtml).toMatch(/^\s*<form/);
  expect(complaints.filter((fields) => !/audio\.json|script\.js/.test(JSON.stringify(fields)))).toEqual([]);
  const { ask, warnings } = openKnowledgeSearch({ contentDir: wholeDir, dataDir });
  expect(await ask("opening hours")).toEqual([]);
  const page = path.join(wholeDir, "knowledge/page.md");
  await rename(`${page}.example`, page);
  expect(await openKnowledgeSearch({ contentDir: wholeDir, dataDir }).ask("opening hours")).toEqual([
    "page.md#1",
  ]);
  expect([warnings, await readdir(folder)]).toEqual([[], ["page.md.example"]]);
});
