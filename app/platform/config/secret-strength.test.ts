import { generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import { parseConfig, problemsInProduction, production } from "~e2e/support/config";
import { testJwtSecret } from "~e2e/support/running-server";
import { findWeakness } from "./secret-strength";

test.each([
  "a".repeat(32),
  "abcdefg".repeat(5),
  "changemechangemechangemechangeme",
  "change-me-please-change-me-please",
  "CHANGE_ME_CHANGE_ME_CHANGE_ME_CHANGE_ME",
  "12345678901234567890123456789012",
  "0123456789abcdef0123456789abcdef",
  "abcdefghijklmnopqrstuvwxyz123456",
  "secretsecretsecretsecretsecretsecret",
  "my-super-secret-password-secret-password",
  "P@ssw0rd-P@ssw0rd-P@ssw0rd-P@ssw0rd",
  "qwertyuiopasdfghjklzxcvbnm1234567890",
  "k3Vq9ZsT1mXbW7h".repeat(3),
])("%s is weak", (secret) => {
  expect(findWeakness(secret)).not.toBeNull();
  const problems = problemsInProduction({ JWT_SECRET: secret });
  expect(problems).toEqual([expect.stringMatching(/^JWT_SECRET .*openssl rand -hex 32/) as string]);
  expect(problems.join()).not.toContain(secret);
});

test.each([
  testJwtSecret,
  "9f2c41d07be86a35c1f4e0927d5ab368",
  "k3Vq9ZsT1mXbW7hD",
  "k3Vq9ZsT1mXbW7hD".repeat(2),
  "abcdefhi",
  "metrics-token-of-the-tests",
  "a-quota-reset-secret-of-the-tests",
  "operator-secret-of-the-tests",
  "correct horse battery staple: thirty-two bytes and more",
  "93017462850593847261504938271605",
])("%s is accepted, since it is no common word or sequence", (secret) => {
  expect(findWeakness(secret)).toBeNull();
});

test("random secrets are never called weak", () => {
  for (let count = 0; count < 2_000; count += 1) {
    const bytes = crypto.getRandomValues(new Uint8Array(32));
    expect(findWeakness(Buffer.from(bytes).toString("hex"))).toBeNull();
    expect(findWeakness(Buffer.from(bytes).toString("base64"))).toBeNull();
  }
});

test.each(["METRICS_TOKEN", "AI_QUOTA_RESET_SECRET", "OPERATOR_SECRET"])(
  "production requires 16 characters of %s, elsewhere a shorter one is a warning",
  (name) => {
    for (const weak of ["a", "password", "k3Vq9ZsT1mXbW7h", "passwordpassword", "demo-k3Vq9ZsT1mXbW7hD"]) {
      expect(problemsInProduction({ [name]: weak })).toEqual([expect.stringMatching(`^${name} `) as string]);
    }
    expect(problemsInProduction({ [name]: "k3Vq9ZsT1mXbW7hD" })).toEqual([]);
    const elsewhere = { ...production, LATCHKEY_MODE: "development" };
    const { warnings } = parseConfig({ ...elsewhere, [name]: "k3Vq9ZsT1mXbW7h" });
    expect(warnings).toEqual([`${name} is shorter than 16 characters: production refuses it.`]);
    expect(parseConfig({ ...elsewhere, [name]: "k3Vq9ZsT1mXbW7hD" }).warnings).toEqual([]);
  },
);

test("outside production a weak JWT_SECRET is a warning, and a demo key is none", () => {
  const elsewhere = { ...production, LATCHKEY_MODE: "demo" };
  expect(parseConfig({ ...elsewhere, JWT_SECRET: "a".repeat(32) }).warnings).toEqual([
    "JWT_SECRET has fewer than 8 different characters: production refuses it.",
  ]);
  expect(parseConfig({ ...elsewhere, JWT_SECRET: `demo-${"a".repeat(32)}` }).warnings).toEqual([]);
});

test("a retired secret that can be guessed is refused too, and a retired key pair is not judged", () => {
  const strong = "k3Vq9ZsT1mXbW7hDk4Lw8YtU2nCaR6gF";
  const { publicKey } = generateKeyPairSync("ed25519");
  const pem = publicKey.export({ type: "spki", format: "pem" }).toString().replaceAll("\n", "\\n");
  expect(problemsInProduction({ JWT_PREVIOUS_KEYS: `${strong},${pem}` })).toEqual([]);
  for (const weak of ["a".repeat(32), `demo-${strong}`]) {
    expect(problemsInProduction({ JWT_PREVIOUS_KEYS: `${strong},${weak}` })).toEqual([
      expect.stringMatching(/^JWT_PREVIOUS_KEYS .*Take that secret off the list/) as string,
    ]);
  }
});
