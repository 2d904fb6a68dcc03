import { expect, test } from "vitest";
import { checkLegacyTimestamp, legacyEnvelopeText } from "./legacy-envelope";

const nowMs = Date.UTC(2026, 0, 15, 12);

const envelope = {
  tokenId: "7",
  domain: "localhost:3000",
  path: "/api/gate-access",
  method: "POST",
  chainId: 31337,
  timestamp: 1768478400000,
};

function failing(timestamp: unknown) {
  return () => checkLegacyTimestamp(timestamp as number, nowMs);
}

test("the signed text is six lines joined by single newlines, with none at its end", () => {
  expect(legacyEnvelopeText(envelope)).toBe(
    "I own key #7\nDomain: localhost:3000\nPath: /api/gate-access\nMethod: POST\nChainId: 31337\nTimestamp: 1768478400000",
  );
});

test("the message hash is the seventh line", () => {
  const messageHash = `0x${"aB".repeat(32)}`;
  const text = legacyEnvelopeText({ ...envelope, path: "/api/form-submission-gate", messageHash });
  expect(text.split("\n")).toHaveLength(7);
  expect(text.endsWith(`\nTimestamp: 1768478400000\nMessage: ${messageHash}`)).toBe(true);
});

test("the timestamp is signed as the number that was sent, in seconds too", () => {
  expect(legacyEnvelopeText({ ...envelope, timestamp: 1768478400 })).toContain("\nTimestamp: 1768478400");
  expect(legacyEnvelopeText({ ...envelope, timestamp: Number.MAX_SAFE_INTEGER })).toContain(
    "Timestamp: 9007199254740991",
  );
});

test("a signature is valid for five minutes to the millisecond", () => {
  expect(checkLegacyTimestamp(nowMs - 300_000, nowMs)).toEqual({
    signedAtMs: nowMs - 300_000,
    expiresAtMs: nowMs,
  });
  expect(failing(nowMs - 300_001)).toThrow(/older than 5 minutes/);
});

test("a clock that is ahead is tolerated by thirty seconds to the millisecond", () => {
  expect(checkLegacyTimestamp(nowMs + 30_000, nowMs).signedAtMs).toBe(nowMs + 30_000);
  expect(failing(nowMs + 30_001)).toThrow(/more than 30 seconds in the future/);
});

test("timestamps in seconds have the same bounds", () => {
  const nowSeconds = nowMs / 1000;
  expect(checkLegacyTimestamp(nowSeconds, nowMs).signedAtMs).toBe(nowMs);
  expect(checkLegacyTimestamp(nowSeconds - 300, nowMs).signedAtMs).toBe(nowMs - 300_000);
  expect(failing(nowSeconds - 301)).toThrow(/older/);
  expect(checkLegacyTimestamp(nowSeconds + 30, nowMs).signedAtMs).toBe(nowMs + 30_000);
  expect(failing(nowSeconds + 31)).toThrow(/future/);
});

test("a timestamp below 1e12 is read as seconds, from there on as milliseconds", () => {
  expect(checkLegacyTimestamp(1e12, 1e12).signedAtMs).toBe(1e12);
  const lastSeconds = (1e12 - 1) * 1000;
  expect(checkLegacyTimestamp(1e12 - 1, lastSeconds).signedAtMs).toBe(lastSeconds);
});

test.each([
  1.5,
  -1,
  -0,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  2 ** 53,
  1e300,
  "1768478400000",
  null,
  undefined,
  true,
])("the timestamp %j is refused as a malformed request", (timestamp) => {
  expect(failing(timestamp)).toThrow(expect.objectContaining({ slug: "invalid-request", status: 400 }));
});

test("a missing current time makes every timestamp stale", () => {
  expect(() => checkLegacyTimestamp(nowMs, Number.NaN)).toThrow(/older/);
});

test("a stale signature is refused as a failed proof with a challenge", () => {
  expect(failing(0)).toThrow(
    expect.objectContaining({
      slug: "authentication-failed",
      headers: { "WWW-Authenticate": 'Bearer realm="latchkey"' },
    }),
  );
});
