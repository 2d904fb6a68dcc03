import { expect, test } from "vitest";
import { renderEmail } from "./email-text";
import type { EmailRenderers } from "./email-text";

const renderers: EmailRenderers = { "submission.received": () => null };

test.each([
  { kind: "key.departed", payload: '{"type":"key.departed","data":{"tokenId":"1"}}', why: "unknown kind" },
  { kind: "submission.received", payload: '{"data":{"tokenId":7}}', why: "fields missing" },
  { kind: "submission.received", payload: '{"data":null}', why: "no data" },
  { kind: "submission.received", payload: "[1]", why: "not an object" },
  { kind: "submission.received", payload: "not JSON", why: "not JSON" },
  { kind: "constructor", payload: "{}", why: "a name every object has" },
])("a notification without a text of its own ($why) is mailed as its JSON", ({ kind, payload }) => {
  const { subject, text } = renderEmail({ notificationId: "n-1", kind, payload, createdAtMs: 0 }, renderers);
  expect(subject).toBe(`Notification: ${kind}`);
  const shown = text
    .split("\n")
    .filter((line) => line.startsWith("> "))
    .map((line) => line.slice(2))
    .join("\n");
  expect(shown.replace(/\s/g, "")).toBe(payload.replace(/\s/g, ""));
});
