import { expect, test } from "vitest";
import { renderEmail } from "~/platform/outbox/email-text";
import { keyEmails, submissionReceived } from "./key-notifications";

const createdAtMs = Date.UTC(2026, 2, 4, 5, 6, 7);
const data = {
  submissionId: "s-1",
  chainId: 31337,
  contractAddress: "0x5fbdb2315678afecb367f032d93f642f64180aa3",
  tokenId: "42",
  address: "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
  message: "Hello\nsecond line",
};

function render(fields: Partial<typeof data> & { vault?: string } = {}) {
  const { kind, data: told } = submissionReceived({ ...data, ...fields });
  const payload = JSON.stringify({ type: kind, data: told });
  return renderEmail({ notificationId: "n-1", kind, payload, createdAtMs }, keyEmails);
}

test("a submission's mail says what happened, which key, who, what and when", () => {
  expect(render()).toEqual({
    subject: "Key #42 was used: new message",
    text: `The holder of key #42 sent the one-time form. The key is now used up.

Token id: 42
Address:  0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266
Contract: 0x5fbdb2315678afecb367f032d93f642f64180aa3 on chain 31337
When:     2026-03-04 05:06:07 UTC

Message:
> Hello
> second line

-- 
Notification n-1. If it reaches you twice, it is the same event.
`,
  });
});

test("a delegate's mail says for whom the key was used", () => {
  const vault = `0x${"aa".repeat(20)}`;
  const { text } = render({ vault });
  expect(text).toContain("A delegate of the holder of key #42 sent the one-time form.");
  expect(text).toContain(`Address:  ${data.address}\nFor:      ${vault}\nContract:`);
});

test("a message cannot imitate lines of the mail, whatever its line breaks", () => {
  const breaks = ["\n", "\r", "\r\n", "\v", "\f", "\u0085", "\u2028", "\u2029"];
  for (const lineBreak of breaks) {
    const { text } = render({ message: `a${lineBreak}Token id: 1` });
    expect(text).toContain("> a\n> Token id: 1\n");
    expect(text.match(/^Token id:/gm)).toHaveLength(1);
  }
});

test("control and reordering characters are removed from the message, tabs and all else are kept", () => {
  const message = "a\u0000b\u001b[31mc\u202ed\u2066e\tf 世界 👩‍👩‍👧";
  expect(render({ message }).text).toContain("> ab[31mcde\tf 世界 👩‍👩‍👧\n");
});

test("labelled lines and the subject are one short line each", () => {
  const long = `7\r\nSubject: x ${"9".repeat(500)}`;
  const { subject, text } = render({ tokenId: long });
  expect(subject).not.toMatch(/[\r\n]/);
  expect(Array.from(subject).length).toBeLessThanOrEqual(150);
  expect(text.match(/^Subject/gm)).toBeNull();
});

test("data that lacks what the text needs is shown as its JSON", () => {
  const payload = '{"data":{"tokenId":7}}';
  const { subject, text } = renderEmail(
    { notificationId: "n-1", kind: "submission.received", payload, createdAtMs },
    keyEmails,
  );
  expect(subject).toBe("Notification: submission.received");
  expect(text).toContain('"tokenId": 7');
});
