import { generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import { problemsInProduction } from "~e2e/support/config";

function makePair(namedCurve: string) {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve });
  return {
    JWT_PRIVATE_KEY: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    JWT_PUBLIC_KEY: publicKey.export({ type: "spki", format: "pem" }).toString(),
  };
}

const pair = makePair("P-256");
const other = makePair("P-256");
const withPair = { JWT_SECRET: undefined, JWT_PRIVATE_KEY: pair.JWT_PRIVATE_KEY };

test("a pair, its public half and retired keys of both sorts are accepted", () => {
  const JWT_PREVIOUS_KEYS = `${other.JWT_PUBLIC_KEY},k3Vq9ZsT1mXbW7hDk4Lw8YtU2nCaR6gF`;
  expect(
    problemsInProduction({ ...withPair, JWT_PUBLIC_KEY: pair.JWT_PUBLIC_KEY, JWT_PREVIOUS_KEYS }),
  ).toEqual([]);
});

test.each<[string, string, Record<string, string | undefined>]>([
  ["another pair's public half", "JWT_PUBLIC_KEY", { ...withPair, JWT_PUBLIC_KEY: other.JWT_PUBLIC_KEY }],
  ["a public half that is no key", "JWT_PUBLIC_KEY", { ...withPair, JWT_PUBLIC_KEY: "hunter2" }],
  [
    "a key of another curve",
    "JWT_PRIVATE_KEY",
    { ...withPair, ...makePair("P-384"), JWT_PUBLIC_KEY: undefined },
  ],
  ["a key of another algorithm", "JWT_PRIVATE_KEY", { ...withPair, JWT_ALG: "EdDSA" }],
  ["half a retired key", "JWT_PREVIOUS_KEYS", { JWT_PREVIOUS_KEYS: `${pair.JWT_PUBLIC_KEY.slice(0, 60)}` }],
  [
    "a retired key of another curve",
    "JWT_PREVIOUS_KEYS",
    { JWT_PREVIOUS_KEYS: makePair("P-384").JWT_PUBLIC_KEY },
  ],
  ["a short retired secret", "JWT_PREVIOUS_KEYS", { JWT_PREVIOUS_KEYS: "k3Vq9ZsT1mXbW7hD" }],
])("%s is listed with all other mistakes, by the name %s", (_what, name, environment) => {
  const [first, problem, ...others] = problemsInProduction({ ...environment, PORT: "x" });
  expect([first, others]).toEqual([expect.stringMatching(/^PORT /), []]);
  expect(problem).toContain(name);
  expect(problem).not.toMatch(/hunter2|BEGIN|k3Vq/);
});
