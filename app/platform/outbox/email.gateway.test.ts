import { createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { startSmtpReceiver } from "~e2e/support/providers/smtp-receiver";
import type { SmtpReceiver } from "~e2e/support/providers/smtp-receiver";
import { createEmailGateway } from "./email.gateway.server";
import { quoted } from "./email-text";
import type { EmailRenderers } from "./email-text";
import type { ClaimedDelivery } from "./outbox";
import { attemptDelivery } from "./outbox-channel.server";

const occurredAtMs = Date.UTC(2026, 2, 4, 5, 6, 7);
const submission = {
  submissionId: "s-1",
  chainId: 31337,
  contractAddress: "0x5fbdb2315678afecb367f032d93f642f64180aa3",
  tokenId: "42",
  address: "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
  message: "Hello from the holder\nsecond line, 世界",
};
const delivery: ClaimedDelivery = {
  notificationId: "7f9f1c7e-7d0b-4b57-9d0e-2f6f0a1c9d11",
  channel: "email",
  kind: "submission.received",
  payload: JSON.stringify({ type: "submission.received", data: submission }),
  attempts: 0,
  createdAtMs: occurredAtMs,
};
const renderers: EmailRenderers = {
  "submission.received": ({ data }) => ({
    subject: `Key #${String(data.tokenId)} was used: new message`,
    text: quoted(String(data.message)),
  }),
};
const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

async function startServer(options: Parameters<typeof startSmtpReceiver>[0] = {}): Promise<SmtpReceiver> {
  const receiver = await startSmtpReceiver({ hideSTARTTLS: true, ...options });
  closers.push(() => receiver.close());
  return receiver;
}

async function startSocketServer(onConnection: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => undefined));
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(async () => {
    sockets.forEach((socket) => socket.destroy());
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

type Sending = {
  smtpUrl: string;
  to?: string;
  from?: string;
  timeoutMs?: number;
  mail?: Partial<ClaimedDelivery>;
};

function send({ mail, to = "ops@example.org", from = "gate@example.org", ...rest }: Sending) {
  const gateway = createEmailGateway({ to, from, renderers, ...rest });
  return attemptDelivery(gateway, { ...delivery, ...mail }, new AbortController().signal);
}

/** Header lines as a mail reader sees them, folded lines joined. */
function headersOf(raw: string): string[] {
  const head = raw.slice(0, raw.indexOf("\r\n\r\n"));
  return head.replace(/\r\n[ \t]+/g, " ").split("\r\n");
}

test("a submission arrives as a plain-text mail that reads well", async () => {
  const receiver = await startServer();
  expect(await send({ smtpUrl: `smtp://127.0.0.1:${receiver.port}` })).toEqual({ outcome: "delivered" });
  const [mail] = receiver.received;
  expect(mail).toMatchObject({ from: "gate@example.org", to: ["ops@example.org"] });
  const headers = headersOf(mail?.raw ?? "");
  expect(headers).toContain("Message-ID: <7f9f1c7e-7d0b-4b57-9d0e-2f6f0a1c9d11@example.org>");
  expect(headers).toContain("Subject: Key #42 was used: new message");
  expect(headers).toContain("Date: Wed, 04 Mar 2026 05:06:07 +0000");
  expect(headers).toContain("Auto-Submitted: auto-generated");
  expect(headers.some((line) => /^Content-Type: text\/plain; charset=utf-8$/i.test(line))).toBe(true);
});

test("every attempt has the same Message-ID, and another notification another one", async () => {
  const receiver = await startServer({
    onMessage: ({ count }) => (count === 1 ? { code: 451, words: "Later" } : undefined),
  });
  const smtpUrl = `smtp://127.0.0.1:${receiver.port}`;
  const ids: (string | undefined)[] = [];
  const note = (raw: string) => void ids.push(headersOf(raw).find((line) => line.startsWith("Message-ID")));
  const first = await send({ smtpUrl });
  expect(first).toEqual({ outcome: "retry", error: "the mail was not accepted (EMESSAGE 451): 451 Later" });
  await send({ smtpUrl });
  await send({ smtpUrl });
  await send({ smtpUrl, mail: { notificationId: "another" } });
  receiver.received.forEach((mail) => note(mail.raw));
  expect(ids).toHaveLength(3);
  expect(ids[0]).toBe(ids[1]);
  expect(ids[2]).toBe("Message-ID: <another@example.org>");
});

test("ids that a Message-ID cannot hold are hashed, the same way each time", async () => {
  const receiver = await startServer();
  const smtpUrl = `smtp://127.0.0.1:${receiver.port}`;
  const mail = { notificationId: "x>\r\nBcc: thief@evil.example" };
  await send({ smtpUrl, mail });
  await send({ smtpUrl, mail });
  const ids = receiver.received.map(({ raw }) =>
    headersOf(raw).find((line) => line.startsWith("Message-ID")),
  );
  expect(ids[0]).toMatch(/^Message-ID: <[0-9a-f]{64}@example\.org>$/);
  expect(ids[1]).toBe(ids[0]);
});

test("a stranger's text never becomes a header or a recipient", async () => {
  const receiver = await startServer();
  const evil = "1\r\nBcc: thief@evil.example\r\n\r\ninjected\u2028\u0085 body";
  const data = { ...submission, tokenId: evil, address: evil, message: evil, contractAddress: evil };
  const payload = JSON.stringify({ type: delivery.kind, data });
  await send({ smtpUrl: `smtp://127.0.0.1:${receiver.port}`, mail: { payload } });
  await send({ smtpUrl: `smtp://127.0.0.1:${receiver.port}`, mail: { kind: evil, payload: `"${evil}"` } });
  expect(receiver.received).toHaveLength(2);
  for (const { raw, to } of receiver.received) {
    expect(to).toEqual(["ops@example.org"]);
    expect(headersOf(raw).filter((line) => /^bcc/i.test(line))).toEqual([]);
    expect(headersOf(raw).filter((line) => line.startsWith("Subject: "))).toHaveLength(1);
  }
});

test("a permanent refusal of the only recipient is an ordinary failure with the server's words", async () => {
  const receiver = await startServer({ onRecipient: () => ({ code: 550, words: "No such user" }) });
  const outcome = await send({ smtpUrl: `smtp://127.0.0.1:${receiver.port}` });
  expect(outcome).toEqual({
    outcome: "retry",
    error: "the mail was not accepted (EENVELOPE 550): 550 No such user",
  });
});

test("a refused connection is retried", async () => {
  const receiver = await startServer();
  await receiver.close();
  const outcome = await send({ smtpUrl: `smtp://127.0.0.1:${receiver.port}` });
  expect(outcome).toMatchObject({
    outcome: "retry",
    error: expect.stringMatching(/ECONNREFUSED|ESOCKET|ECONNECTION/),
  });
});

test("a server that says nothing costs the timeout and no more", async () => {
  const port = await startSocketServer(() => undefined);
  const startedAt = performance.now();
  const outcome = await send({ smtpUrl: `smtp://127.0.0.1:${port}`, timeoutMs: 200 });
  expect(outcome).toMatchObject({ outcome: "retry" });
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});

test("a server that drips its greeting for ever costs the timeout and no more", async () => {
  const port = await startSocketServer((socket) => {
    const drip = setInterval(() => socket.write("220-still here\r\n"), 20);
    socket.on("close", () => clearInterval(drip));
  });
  const startedAt = performance.now();
  const outcome = await send({ smtpUrl: `smtp://127.0.0.1:${port}`, timeoutMs: 300 });
  expect(outcome).toMatchObject({ outcome: "retry" });
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});

test("an attempt ends when the sender stops", async () => {
  let connected: () => void = () => undefined;
  const connection = new Promise<void>((resolve) => (connected = resolve));
  const port = await startSocketServer(() => connected());
  const gateway = createEmailGateway({
    smtpUrl: `smtp://127.0.0.1:${port}`,
    to: "a@b.example",
    from: "c@d.example",
  });
  const stopper = new AbortController();
  const outcome = attemptDelivery(gateway, delivery, stopper.signal);
  await connection;
  stopper.abort();
  expect(await outcome).toMatchObject({ outcome: "retry" });
});

test("an untrusted certificate is refused, unless the operator allows it", async () => {
  const receiver = await startServer({ secure: true });
  const smtpUrl = `smtps://127.0.0.1:${receiver.port}`;
  expect(await send({ smtpUrl })).toMatchObject({ outcome: "retry" });
  expect(receiver.received).toHaveLength(0);
  expect(await send({ smtpUrl: `${smtpUrl}?tls.rejectUnauthorized=false` })).toEqual({
    outcome: "delivered",
  });
  expect(receiver.received[0]?.secure).toBe(true);
});

test("a server without STARTTLS gets no mail when TLS is required", async () => {
  const receiver = await startServer();
  const outcome = await send({ smtpUrl: `smtp://127.0.0.1:${receiver.port}?requireTLS=true` });
  expect(outcome).toMatchObject({ outcome: "retry" });
  expect(receiver.received).toHaveLength(0);
});

test("STARTTLS is used where the server offers it", async () => {
  const receiver = await startServer({ hideSTARTTLS: false });
  const smtpUrl = `smtp://127.0.0.1:${receiver.port}?tls.rejectUnauthorized=false`;
  expect(await send({ smtpUrl })).toEqual({ outcome: "delivered" });
  expect(receiver.received[0]?.secure).toBe(true);
});

test("user name and password are percent-decoded, and a refused login repeats neither", async () => {
  const receiver = await startServer({
    allowInsecureAuth: true,
    onAuth({ username, password }, _session, callback) {
      if (username === "gate@example.org" && password === "p:a/s@s") callback(null, { user: username });
      else callback(new Error(`Wrong: ${Buffer.from(password ?? "").toString("base64")}`));
    },
  });
  const at = `127.0.0.1:${receiver.port}`;
  expect(await send({ smtpUrl: `smtp://gate%40example.org:p%3Aa%2Fs%40s@${at}` })).toEqual({
    outcome: "delivered",
  });
  expect(receiver.received[0]?.user).toBe("gate@example.org");
  const refused = await send({ smtpUrl: `smtp://gate%40example.org:hunter2@${at}` });
  expect(refused).toEqual({ outcome: "retry", error: "the mail was not accepted (EAUTH 535)" });
});

test("the server's words are omitted when they repeat the password", async () => {
  const receiver = await startServer({
    allowInsecureAuth: true,
    onAuth: ({ username }, _session, callback) => callback(null, { user: username }),
    onMessage: () => ({ code: 554, words: "I know your password hunter2" }),
  });
  const outcome = await send({ smtpUrl: `smtp://gate:hunter2@127.0.0.1:${receiver.port}` });
  expect(outcome).toEqual({ outcome: "retry", error: "the mail was not accepted (EMESSAGE 554)" });
});
