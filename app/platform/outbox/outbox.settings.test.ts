import { expect, test } from "vitest";
import { parseConfig, problemsInProduction, production } from "~e2e/support/config";

const secret = "Qm7rV2kXw9TzLc4HPn5sB8yD";
const asWhsec = (text: string) => `whsec_${Buffer.from(text).toString("base64")}`;
const webhook = { WEBHOOK_URL: "https://hooks.example.com/x", WEBHOOK_SECRET: secret };

test.each([
  secret,
  asWhsec(secret),
  `whsec_${Buffer.from(Array.from({ length: 24 }, (_, index) => 255 - 7 * index))
    .toString("base64url")
    .replaceAll("-", "+")
    .replaceAll("_", "/")}`,
])("a webhook secret of 24 bytes that is not to be guessed is accepted: %s", (WEBHOOK_SECRET) => {
  expect(problemsInProduction({ ...webhook, WEBHOOK_SECRET })).toEqual([]);
});

test.each([
  ["of 23 bytes", secret.slice(1)],
  ["of 23 bytes in base64", asWhsec(secret.slice(1))],
  ["one letter", "x".repeat(40)],
  ["one letter in base64", asWhsec("x".repeat(40))],
  ["words", "change-me-secret-password-example"],
  ["words in base64", asWhsec("change-me-secret-password-example")],
  ["a demo's", `demo-${secret}`],
  ["a demo's in base64", asWhsec(`demo-${secret}`)],
  ["the example of the scheme's documents", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
  ["no base64", `whsec_${secret}!`],
  ["not ASCII", `ü${secret}`],
])("production refuses a webhook secret that is %s, by name", (_why, WEBHOOK_SECRET) => {
  const problems = problemsInProduction({ ...webhook, WEBHOOK_SECRET });
  expect(problems).toEqual([expect.stringMatching(/^WEBHOOK_SECRET /)]);
  expect(problems.join()).not.toContain(WEBHOOK_SECRET.slice(6));
});

test("a secret is judged even while no address is set", () => {
  expect(problemsInProduction({ WEBHOOK_SECRET: "weak" })).toHaveLength(1);
});

test.each([
  ["https://hooks.example.com/x", true],
  ["http://127.0.0.1:9/x", true],
  ["http://localhost:9/x", true],
  ["http://[::1]:9/x", true],
  ["http://hooks.example.com/x", false],
  ["http://10.0.0.7/x", false],
  ["http://localhost.example.com/x", false],
  ["https://user:hunter2@hooks.example.com/x", false],
  ["ftp://hunter2.example.com", false],
  ["/hunter2", false],
])("production takes the webhook address %s: %s", (WEBHOOK_URL, isTaken) => {
  const problems = problemsInProduction({ ...webhook, WEBHOOK_URL });
  expect(problems).toEqual(isTaken ? [] : [expect.stringMatching(/^WEBHOOK_URL must /)]);
  expect(problems.join()).not.toContain("hunter2");
});

test("outside production a plain-HTTP webhook is taken, and a weak secret is a warning", () => {
  const { warnings, notifications } = parseConfig({
    ...production,
    LATCHKEY_MODE: "development",
    WEBHOOK_URL: "http://hooks.example.com/x",
    WEBHOOK_SECRET: "short",
  });
  expect(notifications.webhook?.url).toBe("http://hooks.example.com/x");
  expect(warnings).toEqual(["WEBHOOK_SECRET is shorter than 24 bytes: production refuses it."]);
});

test.each([
  "smtp://",
  "smtp://u:hunter2@mail.example:99999",
  "smtp://u:hunter2@mail.example?jsonTransport=true",
  "smtp://u:hunter2@mail.example?requireTLS=hunter2",
  "smtp://u:hunter2%zz@mail.example",
  "https://hunter2.example",
])("a mail server's address that cannot be used is listed with all other mistakes: %s", (SMTP_URL) => {
  const problems = problemsInProduction({ SMTP_URL, NOTIFY_EMAIL: "me@example.com", PORT: "x" });
  expect(problems.map((problem) => problem.split(" ")[0])).toEqual(["PORT", "SMTP_URL"]);
  expect(problems.join()).not.toContain("hunter2");
});

test.each(["a:b@example.com", "(me)@example.com", "me@example.com,you@example.com", "me"])(
  "%s is no address of a mail",
  (NOTIFY_EMAIL) => {
    const problems = problemsInProduction({ SMTP_URL: "smtp://mail.example", NOTIFY_EMAIL });
    expect(problems).toEqual([expect.stringMatching(/^NOTIFY_EMAIL must be one e-mail address/)]);
  },
);
