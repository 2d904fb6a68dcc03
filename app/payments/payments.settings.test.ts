import { expect, test } from "vitest";
import { parseConfig, problemsInProduction, production } from "~e2e/support/config";

const own = `0x${"5a".repeat(32)}`;
/** The first and the last account of every development chain. */
const published = [
  "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
  "0x2a871d0798f97d79848a013d4936a73bf4cc922c825d33c1cf7073dff6d409c6",
];

function read(environment: Record<string, string>) {
  return parseConfig({ ...production, ...environment });
}

test("nothing is paid without a key, whatever the limits", () => {
  expect(read({}).payments).toBeNull();
  expect(read({ AI_CRYPTO_DAILY_ETHER: "1" }).payments).toBeNull();
});

test("small limits apply with a key until others are set", () => {
  expect(read({ AI_PRIVATE_KEY: own }).payments).toEqual({
    privateKey: own,
    maxMicroetherPerCall: 1_000,
    addressMicroether: 3_000,
    addressWindowSeconds: 86_400,
    dailyMicroether: 10_000,
  });
  const { payments } = read({
    AI_PRIVATE_KEY: own,
    AI_CRYPTO_MAX_ETHER_PER_CALL: "0.000001",
    AI_CRYPTO_QUOTA_ETHER: "2000",
    AI_CRYPTO_DAILY_ETHER: "1.5",
  });
  expect(payments).toMatchObject({
    maxMicroetherPerCall: 1,
    addressMicroether: 2_000_000_000,
    dailyMicroether: 1_500_000,
  });
});

test.each([
  "0",
  "0.0000001",
  "0.0000000",
  "2000.000001",
  "10000",
  "-1",
  "1e3",
  "0x1",
  ".5",
  "1.",
  "1,5",
  "ether",
])("a limit of %s is refused", (text) => {
  for (const name of ["AI_CRYPTO_MAX_ETHER_PER_CALL", "AI_CRYPTO_QUOTA_ETHER", "AI_CRYPTO_DAILY_ETHER"]) {
    expect(problemsInProduction({ [name]: text }).join(" ")).toContain(name);
  }
});

test.each([
  "5a".repeat(32),
  `0x${"5a".repeat(31)}`,
  `0x${"5a".repeat(33)}`,
  `0x${"00".repeat(32)}`,
  `0x${"ff".repeat(32)}`,
  "secret words of a wallet",
])("a text that is not a private key is refused and not repeated (%#)", (text) => {
  const problems = problemsInProduction({ AI_PRIVATE_KEY: text }).join(" ");
  expect(problems).toContain("AI_PRIVATE_KEY must be a private key");
  expect(problems).not.toContain(text);
});

test("production refuses well-known development keys, other modes accept them", () => {
  for (const key of published) {
    expect(problemsInProduction({ AI_PRIVATE_KEY: key }).join(" ")).toContain("development account");
    expect(problemsInProduction({ AI_PRIVATE_KEY: key }).join(" ")).not.toContain(key);
    expect(
      problemsInProduction({ AI_PRIVATE_KEY: key.toUpperCase().replace("0X", "0x") }).join(" "),
    ).toContain("development");
    expect(read({ AI_PRIVATE_KEY: key, LATCHKEY_MODE: "development" }).payments).not.toBeNull();
  }
  expect(problemsInProduction({ AI_PRIVATE_KEY: "demo-key" }).join(" ")).toContain("demo key");
});
