import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { ESLint } from "eslint";
import { expect, test } from "vitest";

const projectDir = fileURLToPath(new URL("../..", import.meta.url));
/** Loading the linter with its plugins is slow on a busy machine. */
const timeoutMs = 120_000;

const eslint = new ESLint({ cwd: projectDir });

/** Lints a text as if it were the file at this path, by the rules about places. */
async function judge(file: string, text: string): Promise<string[]> {
  const [result] = await eslint.lintText(text, { filePath: path.join(projectDir, file) });
  const about =
    /^(no-restricted-(imports|properties|syntax)|import-x\/no-restricted-paths|max-params|max-lines-per-function)$/;
  expect(result?.messages.filter(({ fatal }) => fatal)).toEqual([]);
  return (result?.messages ?? [])
    .filter(({ ruleId }) => about.test(ruleId ?? ""))
    .map(({ message }) => message);
}

type Case = { file: string; text: string };
type Rule = { rule: string; says: RegExp; refused: Case[]; allowed: Case[] };

const onlyConfig = /Only platform\/config reads the environment/;
const useCase = "app/gate/new-thing.server.ts";
const store = "app/gate/new-thing.store.server.ts";
const pure = "app/gate/new-thing.ts";

const environmentReadings = [
  "export const home = process.env.HOME;",
  'export const home = process["env"].HOME;',
  "export const { env } = process;",
  "const here = process;\nexport const home = here.env.HOME;",
  'import { env } from "node:process";\nexport const home = env.HOME;',
  'import process from "node:process";\nexport const home = process.env.HOME;',
  'import * as here from "process";\nexport const home = here.env.HOME;',
  'export { env } from "node:process";',
  'export const home = (await import("node:process")).env.HOME;',
  "export const home = globalThis.process.env.HOME;",
  'export const home = globalThis["process"].env.HOME;',
  "export const home = global.process.env.HOME;",
  "export const { process: here } = globalThis;",
];

const drivers = [
  "@libsql/client",
  "libsql",
  "pg",
  "@prisma/adapter-pg",
  "@prisma/adapter-libsql",
  "@prisma/client",
  "ioredis",
];

/** A function of `lines` lines, plus twice as many that don't count. */
const functionOf = (lines: number) =>
  `export function run() {\n${"  void 0;\n\n  // Not counted.\n".repeat(lines - 2)}}`;

const rules: Rule[] = [
  {
    rule: "only platform/config reads the environment",
    says: onlyConfig,
    refused: [
      useCase,
      store,
      "app/services/new-thing.server.ts",
      "app/routes/api.new.ts",
      "server.ts",
    ].flatMap((file) => environmentReadings.map((text) => ({ file, text }))),
    allowed: [
      ...environmentReadings.map((text) => ({ file: "app/platform/config/new-thing.server.ts", text })),
      { file: useCase, text: "export const id = process.pid;" },
      { file: useCase, text: "export const now = globalThis.performance.now();" },
    ],
  },
  {
    rule: "text never becomes a statement or code",
    says: /Text never becomes a statement or code/,
    refused: [
      ...[useCase, store, pure, "server.ts"],
      ...["app/platform/config/new-thing.server.ts", "app/commands/new-thing.ts"],
    ].flatMap((file) =>
      [
        'export const ask = (db: Db, name: string) => db.$queryRawUnsafe(`SELECT * FROM "${name}"`);',
        'export const drop = (db: Db, name: string) => db["$executeRawUnsafe"](name);',
        "export const ask = ({ $queryRawUnsafe }: Db) => $queryRawUnsafe;",
        "export const part = (text: string) => Prisma.raw(text);",
        "export const run = (text: string) => eval(text);",
        "export const run = (text: string) => globalThis.eval(text);",
        "export const run = (text: string) => new Function(text);",
        "export const run = (text: string) => Function(text)();",
      ].map((text) => ({ file, text })),
    ),
    allowed: [
      { file: store, text: "export const ask = (db: Db, id: string) => db.$queryRaw`SELECT ${id}`;" },
      { file: useCase, text: "export const type = (value: Function) => value.name;" },
    ],
  },
  {
    rule: "no package is imported by its insides",
    says: /Import what the package documents/,
    refused: [useCase, store, pure, "app/services/new-thing.server.ts", "server.ts"].flatMap((file) =>
      [
        "siwe/dist/parsed",
        "@prisma/some/runtime/library",
        "left/lib",
        "@remix-run/express/dist/server.js",
      ].map((name) => ({ file, text: `import inside from "${name}";\nexport const use = inside;` })),
    ),
    // The highlighter's documentation imports its languages from lib/.
    allowed: ["./lib/thing", "~/platform/lib/thing", "highlight.js/lib/core", "some-package/library"].map(
      (name) => ({ file: pure, text: `import inside from "${name}";\nexport const use = inside;` }),
    ),
  },
  {
    rule: "a cast through unknown says why",
    says: /Narrow the type\. If a package's types leave no other way/,
    refused: [useCase, store, pure].map((file) => ({
      file,
      text: "export const read = (value: string) => value as unknown as number;",
    })),
    allowed: [
      { file: useCase, text: "export const read = (value: unknown) => value as number;" },
      {
        file: useCase,
        text: "// eslint-disable-next-line no-restricted-syntax -- Why.\nexport const read = (value: string) => value as unknown as number;",
      },
    ],
  },
  {
    rule: "pure files read no environment either",
    says: /environment|may run in the browser/,
    refused: environmentReadings.map((text) => ({ file: pure, text })),
    allowed: [],
  },
  {
    rule: "drivers belong to stores, platform/database and platform/redis",
    says: /Drivers belong in \*\.store\.server\.ts/,
    refused: [useCase, "app/services/new-thing.server.ts", "app/platform/new-thing.server.ts"].flatMap(
      (file) =>
        drivers.flatMap((driver) => [
          { file, text: `import driver from "${driver}";\nexport const open = driver;` },
          { file, text: `export const open = () => import("${driver}");` },
        ]),
    ),
    allowed: [
      store,
      "app/platform/database/new-thing.server.ts",
      "app/platform/redis/new-thing.server.ts",
    ].flatMap((file) =>
      drivers.flatMap((driver) => [
        { file, text: `import driver from "${driver}";\nexport const open = driver;` },
        { file, text: `export const open = () => import("${driver}");` },
      ]),
    ),
  },
  {
    rule: "only stores reach the database and Redis",
    says: /Only \*\.store\.server\.ts, platform\/database, platform\/redis and services/,
    refused: [
      {
        file: useCase,
        text: 'import { openDatabase } from "~/platform/database/database.server";\nopenDatabase;',
      },
      {
        file: useCase,
        text: 'import type { Nonce } from "~/generated/sqlite/client";\nexport type N = Nonce;',
      },
      { file: useCase, text: 'import { openRedis } from "~/platform/redis/redis.server";\nopenRedis;' },
    ],
    allowed: [store, "app/services/new-thing.server.ts"].map((file) => ({
      file,
      text: 'import type { Database } from "~/platform/database/database.server";\nexport type D = Database;',
    })),
  },
  {
    rule: "routes know no stores and no gateways",
    says: /A route calls one function of getServices/,
    refused: [
      'import { createKeyStore } from "~/gate/ownership/keys.store.server";\nexport const keys = createKeyStore;',
      'import type { KeyStore } from "~/gate/ownership/keys.store.server";\nexport type K = KeyStore;',
      'import { readKey } from "~/gate/ownership/chain-reads.gateway.server";\nexport const read = readKey;',
      'export const read = () => import("~/demo/demo-chain.gateway.server");',
    ].map((text) => ({ file: "app/routes/api.new-thing.ts", text })),
    allowed: [
      {
        file: "app/routes/api.new-thing.ts",
        text: 'import { getServices } from "~/services.server";\nexport const loader = () => getServices();',
      },
    ],
  },
  {
    rule: "a feature's store is its own",
    says: /A store belongs to its feature alone/,
    refused: [
      'import { createKeyStore } from "~/gate/ownership/keys.store.server";\nexport const keys = createKeyStore;',
      'import { createKeyStore } from "~/gate/ownership/keys.store.server";\nexport const keys = createKeyStore;',
      'import type { KeyStore } from "~/gate/ownership/keys.store.server";\nexport type K = KeyStore;',
      'export { createKeyStore } from "~/gate/ownership/keys.store.server";',
      'export const keys = () => import("~/gate/ownership/keys.store.server");',
    ].map((text) => ({ file: "app/chat/new-thing.server.ts", text })),
    allowed: [
      {
        file: useCase,
        text: 'import { createKeyStore } from "./keys.store.server";\nexport const keys = createKeyStore;',
      },
      {
        file: "app/chat/new-thing.server.ts",
        text: 'import type { Caller } from "~/gate/tokens/caller.server";\nexport type C = Caller;',
      },
    ],
  },
  {
    rule: "neither a feature nor the platform knows the table of all settings",
    says: /A feature receives what it needs as arguments|The platform knows no feature/,
    refused: [useCase, "app/gate/new-thing.settings.ts", "app/platform/config/new-thing.server.ts"].map(
      (file) => ({
        file,
        text: 'import type { Config } from "~/settings.server";\nexport type C = Config;',
      }),
    ),
    allowed: [
      {
        file: "app/services/new-thing.server.ts",
        text: 'import type { Config } from "~/settings.server";\nexport type C = Config;',
      },
    ],
  },
  {
    rule: "what may run in a browser reaches no server code and no Node",
    says: /This file may run in the browser/,
    refused: [
      'import { issueNonce } from "./proofs/proofs.server";\nexport const issue = issueNonce;',
      'import { issueNonce } from "~/gate/proofs/proofs.server";\nexport const issue = issueNonce;',
      'export { issueNonce } from "./proofs/proofs.server";',
      'export * from "./proofs/proofs.server";',
      'export const issue = () => import("./proofs/proofs.server");',
      'import type { KeyStore } from "./keys.store.server";\nexport type K = KeyStore;',
      'import { gateSettings } from "~/gate/gate.settings";\nexport const rows = gateSettings;',
      'export const rows = () => import("~/gate/gate.settings");',
      'import { readFileSync } from "node:fs";\nexport const read = readFileSync;',
      'import { readFileSync } from "fs";\nexport const read = readFileSync;',
      'import { readFile } from "fs/promises";\nexport const read = readFile;',
    ].flatMap((text) => [
      { file: pure, text },
      {
        file: "app/gate/page/new-thing.tsx",
        text: text.replaceAll("./", "../").replaceAll("~/../", "~/"),
      },
    ]),
    allowed: [
      { file: pure, text: 'import { toTokenId } from "./token-id";\nexport const read = toTokenId;' },
      { file: pure, text: 'import * as z from "zod";\nexport const shape = z.string();' },
      // Packages and our own files with a builtin's last name are not builtins.
      {
        file: pure,
        text: 'import { path } from "./path";\nimport { url } from "@x/url";\nexport const a = [path, url];',
      },
      {
        file: useCase,
        text: 'import { issueNonce } from "./proofs/proofs.server";\nexport const issue = issueNonce;',
      },
      { file: useCase, text: 'import { readFile } from "node:fs/promises";\nexport const read = readFile;' },
      {
        file: "app/gate/new-thing.settings.ts",
        text: 'import path from "node:path";\nexport const at = path.resolve("x");',
      },
    ],
  },
  {
    rule: "a function takes up to three parameters, and a large object has a named type",
    says: /Maximum allowed is 3|Give a type of more than four members a name|Write the members themselves/,
    refused: [
      "export function sum(a: number, b: number, c: number, d: number) {\n  return a + b + c + d;\n}",
      "export function show(of: { a: 1; b: 2; c: 3; d: 4; e: 5 }) {\n  return of;\n}",
      "export const both = (a: number, b: number) => ({ ...{ a, b } });",
    ].flatMap((text) =>
      [pure, "app/commands/new-thing.ts", "e2e/support/new-thing.ts"].map((file) => ({ file, text })),
    ),
    allowed: [
      "export function sum(a: number, b: number, c: number) {\n  return a + b + c;\n}",
      "type Of = { a: 1; b: 2; c: 3; d: 4; e: 5 };\nexport function show(of: Of & { f: 6 }) {\n  return of;\n}",
      "export const both = (rest: { a: number }) => ({ ...rest, b: 1 });",
    ].map((text) => ({ file: pure, text })),
  },
  {
    rule: "a function has up to 80 lines, blank ones and comments apart; a test's may have more",
    says: /Maximum allowed is 80/,
    refused: [pure, "app/gate/page/new-thing.tsx", "e2e/support/new-thing.ts", "server.ts"].map((file) => ({
      file,
      text: functionOf(81),
    })),
    allowed: [
      { file: pure, text: functionOf(80) },
      { file: "app/gate/new-thing.test.ts", text: functionOf(81) },
      { file: "e2e/journeys/new-thing.spec.ts", text: functionOf(81) },
    ],
  },
];

test.each(rules)("$rule", { timeout: timeoutMs }, async ({ says, refused, allowed }) => {
  for (const { file, text } of refused) {
    const said = await judge(file, text);
    expect(said, `${file}: ${text}`).toContainEqual(expect.stringMatching(says));
  }
  for (const { file, text } of allowed) expect(await judge(file, text), `${file}: ${text}`).toEqual([]);
});

test("every rule that is switched off in the code has its reason beside it", () => {
  const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], { cwd: projectDir });
  const files = String(listed)
    .split("\n")
    .filter((file) => /\.[cm]?[jt]sx?$/.test(file) && existsSync(path.join(projectDir, file)));
  const directives = files.flatMap((file) =>
    readFileSync(path.join(projectDir, file), "utf8")
      .split("\n")
      .filter((line) => /^\s*(?:\/\/|\/\*|\{\/\*) eslint-disable/.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(directives.length).toBeGreaterThan(30);
  expect(directives.filter((directive) => !/ -- \S/.test(directive))).toEqual([]);
});
