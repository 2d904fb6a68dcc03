import { expect, test } from "vitest";
import { goneSettings, parseConfig, settings } from "~/settings.server";
import { problemsOf, production } from "~e2e/support/config";

const known = settings.map(({ name }) => name.replace("<chainId>", "10"));
const isKnown = (name: string) => known.includes(name) || /^RPC_URL_\d+$/.test(name);

function readFrom(
  { file = {}, environment = {} }: Record<string, Record<string, string>>,
  mode = "production",
) {
  const all = { ...production, LATCHKEY_MODE: mode, ...file, ...environment };
  return {
    problems: problemsOf(all, Object.keys(file)),
    warnings: () => parseConfig(all, Object.keys(file)).warnings,
  };
}

const swap = (name: string) => {
  const at = [...name].findIndex((letter, index) => index > 0 && letter !== name[index - 1]);
  return name.slice(0, at - 1) + name[at]! + name[at - 1]! + name.slice(at + 1);
};
const slips: [kind: string, slip: (name: string) => string][] = [
  ["one letter missing", (name) => name.slice(0, -1)],
  ["one letter added", (name) => `${name}S`],
  ["one letter changed", (name) => `Q${name.slice(1)}`],
  ["two letters swapped", swap],
];

test.each(slips)("every setting in the file with %s stops the start in production", (_kind, slip) => {
  const escaped = known.filter((name) => {
    const typed = slip(name);
    if (isKnown(typed)) return false;
    const { problems } = readFrom({ file: { [typed]: "hunter2" } });
    return !problems.some((problem) =>
      problem.startsWith(`${typed} is not a setting of Latchkey. Did you mean `),
    );
  });
  expect(escaped).toEqual([]);
});

test.each(slips)("outside the file too, where both names have several words: %s", (_kind, slip) => {
  const several = known.filter((name) => name.includes("_") && slip(name).includes("_"));
  const escaped = several.filter((name) => {
    const typed = slip(name);
    return !isKnown(typed) && readFrom({ environment: { [typed]: "" } }).problems.length === 0;
  });
  expect(escaped).toEqual([]);
});

test("two slips, or none of a setting's letters, are told where the file has the name, and stop nothing", () => {
  const file = {
    OPERATOR_SECRETS_: "x",
    AI_TOTALLY_DIFFERENT_THING: "hunter2",
    jwt_secret: "x",
    RPC_URL_10: "https://a.b",
  };
  expect(readFrom({ file }).warnings()).toEqual([
    expect.stringContaining("RPC_URL_10"),
    "AI_TOTALLY_DIFFERENT_THING is not a setting of Latchkey.",
    "OPERATOR_SECRETS_ is not a setting of Latchkey. Did you mean OPERATOR_SECRET?",
    "jwt_secret is not a setting of Latchkey. Did you mean JWT_SECRET?",
  ]);
});

test("a setting that is gone is told with what replaces it, in the file or not, and is no slip of another", () => {
  const gone = Object.keys(goneSettings);
  expect(gone.filter((name) => settings.some((row) => row.name === name))).toEqual([]);
  const given = Object.fromEntries(gone.map((name) => [name, "hunter2"]));
  for (const where of ["file", "environment"]) {
    const told = readFrom({ [where]: given }, "development").warnings();
    expect(told).toEqual(
      expect.arrayContaining(gone.map((name) => `${name} is gone: ${goneSettings[name]}`)),
    );
    // What bounded money, sessions or records stops the start in production.
    const { problems } = readFrom({ [where]: given });
    expect(problems.map((problem) => problem.split(" ")[0]).sort()).toEqual([
      ...["AI_CRYPTO_QUOTA_WINDOW_SEC", "OPERATOR_AUDIT_DAYS", "OPERATOR_DECISIONS_MAX"],
      ...["OPERATOR_SESSION_IDLE_SECONDS", "OPERATOR_SESSION_MAX_SECONDS", "TTS_QUOTA_WINDOW_SEC"],
    ]);
  }
});

test("a setting that only tests need works, and is told", () => {
  const name = "AI_OFFLINE_WORD_MS";
  const environment = { ...production, [name]: "0" };
  expect(parseConfig(environment).chat.offlineWordMs).toBe(0);
  expect(parseConfig(environment).warnings).toEqual([`${name} is for tests alone: leave it out.`]);
});

test("names of other programs are told nowhere: single words outside the file, and those a file is shared with", () => {
  const environment = {
    POST: "1",
    HOSTS: "a",
    WORKER: "1",
    LOGLEVEL: "x",
    HOSTNAME: "gate",
    AI_SOMETHING: "x",
  };
  const file = { NODE_OPTIONS: "", TZ: "UTC", REDIS_PASSWORD: "x", MALLOC_ARENA_MAX: "1", https_proxy: "x" };
  expect(readFrom({ environment, file }).warnings()).toEqual([]);
});

test("the address of a chain is known by its number, and a slip before the number is one", () => {
  const typed = { RPC_ULR_8453: "https://rpc.example.com" };
  expect(readFrom({ file: typed }).problems).toEqual([
    "RPC_ULR_8453 is not a setting of Latchkey. Did you mean RPC_URL_8453?",
  ]);
});

test("outside production a slip is told, and stops nothing", () => {
  const { problems, warnings } = readFrom({ file: { OPERATOR_SECERT: "x" } }, "development");
  expect(problems).toEqual([]);
  expect(warnings()).toEqual(["OPERATOR_SECERT is not a setting of Latchkey. Did you mean OPERATOR_SECRET?"]);
});

test("a mistyped name is listed among the mistakes it causes, without its value", () => {
  const environment = { ...production, JWT_SECRET: undefined, JWT_SECERT: production.JWT_SECRET };
  const problems = problemsOf(environment);
  expect(problems).toEqual([
    expect.stringMatching(/^JWT_SECRET or /),
    "JWT_SECERT is not a setting of Latchkey. Did you mean JWT_SECRET?",
  ]);
  expect(problems.join()).not.toContain(production.JWT_SECRET);
});
