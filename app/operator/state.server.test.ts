import { expect, test } from "vitest";
import { viewOutbox, viewPayments } from "./state.server";

const minuteMs = 60_000;
const sums = { spent: 2_500, dailyLimit: 10_000 };

test.each([
  { open: 0, oldestOpenMs: null, state: "up", said: "None is open." },
  { open: 2, oldestOpenMs: 29 * minuteMs, state: "up", said: "2 open, the oldest for 29 min." },
  { open: 1, oldestOpenMs: 30 * minuteMs, state: "unsure", said: "1 open, the oldest for 30 min." },
])(
  "$open open payments, the oldest for $oldestOpenMs ms, are $state",
  async ({ state, said, ...reading }) => {
    expect(await viewPayments(() => Promise.resolve({ ...sums, ...reading }))).toEqual([
      { name: "Payments", state, facts: [said, "0.0025 of 0.01 counted in the last 24 hours."] },
    ]);
  },
);

test("payments that cannot be counted are down, and affect no other row", async () => {
  expect(await viewPayments(() => Promise.reject(new Error("away")))).toMatchObject([{ state: "down" }]);
});

test("a channel that is not set up is off, with the setting it lacks", () => {
  const status = { running: true, inFlight: 0, pending: 0, channels: [] };
  expect(viewOutbox({ ...status, unconfiguredChannels: ["webhook", "email"] }).slice(1)).toEqual([
    { name: "Webhook", state: "off", facts: ["WEBHOOK_URL is not set."] },
    { name: "Mail", state: "off", facts: ["SMTP_URL is not set."] },
  ]);
});
