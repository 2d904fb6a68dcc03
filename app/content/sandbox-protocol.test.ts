import { expect, test } from "vitest";
import { createRunMessage, maxFrameHeightPx, readFrameMessage, sandboxAttribute } from "./sandbox-protocol";
import { sandboxDocument } from "./sandbox.server";

const frameWindow = {};

function read(data: unknown, event: { origin?: string; source?: unknown } = {}) {
  return readFrameMessage({ data, origin: "null", source: frameWindow, ...event }, frameWindow);
}

test("the frame's three messages are read, anything beyond their shape is ignored", () => {
  expect(read({ type: "latchkey:ready", more: 1 })).toEqual({ type: "latchkey:ready" });
  expect(read({ type: "latchkey:height", heightPx: 12.2 })).toEqual({
    type: "latchkey:height",
    heightPx: 13,
  });
  expect(read({ type: "latchkey:failed", reason: "x".repeat(301) })).toEqual({
    type: "latchkey:failed",
    reason: "x".repeat(300),
  });
});

test("a height beyond the page's maximum is reduced to it", () => {
  const heightOf = (heightPx: unknown) => read({ type: "latchkey:height", heightPx });
  expect(heightOf(maxFrameHeightPx)).toMatchObject({ heightPx: maxFrameHeightPx });
  expect(heightOf(maxFrameHeightPx + 1)).toMatchObject({ heightPx: maxFrameHeightPx });
  expect(heightOf(0)).toMatchObject({ heightPx: 0 });
  for (const wrong of [-1, NaN, Infinity, "12", null, undefined, {}]) expect(heightOf(wrong)).toBeNull();
});

test("a message of another kind or from another frame is ignored", () => {
  for (const data of [
    null,
    undefined,
    "latchkey:ready",
    1,
    [],
    {},
    { type: "other" },
    { type: "latchkey:run" },
  ]) {
    expect(read(data)).toBeNull();
  }
  expect(read({ type: "latchkey:failed", reason: 1 })).toBeNull();
  expect(read({ type: "latchkey:ready" }, { source: {} })).toBeNull();
  expect(read({ type: "latchkey:ready" }, { source: null })).toBeNull();
  expect(read({ type: "latchkey:ready" }, { origin: "https://example.org" })).toBeNull();
  const event = { data: { type: "latchkey:ready" }, origin: "null", source: null };
  expect(readFrameMessage(event, null)).toBeNull();
});

test("the message to the frame carries script and styles", () => {
  expect(createRunMessage("a")).toEqual({ type: "latchkey:run", script: "a", styles: "" });
});

test("neither the attribute nor the header lets the frame share our origin", () => {
  const { headers } = sandboxDocument();
  const policy = headers["Content-Security-Policy"] ?? "";
  expect(sandboxAttribute).toBe("allow-scripts");
  expect(policy).toMatch(/(?:^|; )sandbox allow-scripts(?:;|$)/);
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'self'");
  expect(policy).not.toMatch(/allow-same-origin|unsafe-eval|connect-src|https?:/);
});
