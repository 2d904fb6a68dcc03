import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { chatEntryPrefix, formDraftPrefix } from "~/ui/personal-storage";
import { inside, openGatePage } from "~e2e/support/gate-page";
import { createGateApi } from "../gate-api";
import type { Session } from "../gate-api";
import { away } from "../gate-state";
import type { GateState } from "../gate-state";
import { keepSession, lookAtSession, lookForSession, resumeVisit, signOut } from "./use-visit";
import type { Wallet } from "../wallet/use-wallet";

const address = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
const signedIn = { signedIn: true, tokenId: "7", address, secondsLeft: 900, isRenewable: true };
const session: Session = {
  key: null,
  tokenId: "7",
  vault: null,
  address,
  secondsLeft: 500,
  endsAtMs: 500_000,
  isRenewable: true,
};
const ended = {
  type: "https://gate.example/problems/you-do-not-own-this-token",
  title: "You do not own this token",
  status: 403,
  detail: "This key is held by another wallet.",
};
const granted = { success: true, access: "granted", content: { welcomeText: "Hello" } };
const problem = { status: 503, body: { type: "https://x/problems/chain-unavailable", status: 503 } };

type Reply = { status: number; body: unknown };
type Answers = Record<string, Reply | Promise<Reply>>;

/** A server that records requests, as `POST {"renew":true}`, and gives these answers. Others are 404. */
async function openFixture(answers: Answers, state: GateState = inside(session)) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const name = `${request.method ?? ""} ${Buffer.concat(chunks).toString()}`.trim();
      asked.push(name);
      void Promise.resolve(answers[name] ?? { status: 404, body: {} }).then(({ status, body }) => {
        response.writeHead(status, { "Content-Type": "application/json" });
        response.end(JSON.stringify(body));
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { page } = openGatePage({ state });
  return { asked, page, tools: { api: createGateApi(origin), page } };
}

const otherAddress = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";
const notPersonal = "latchkey.demo-key";

/** A browser with a used chat and a draft of the form. Returns the remaining keys. */
function openBrowser(): () => string[] {
  const stores = [`${chatEntryPrefix}one`, `${formDraftPrefix}7`].map((name) => {
    const entries = new Map([
      [name, "Listen: /media/7/lamp-room.wav?sig=R0w1"],
      [notPersonal, "1"],
    ]);
    const key = (index: number) => [...entries.keys()][index] ?? null;
    const removeItem = (removed: string) => void entries.delete(removed);
    return { entries, store: { key, removeItem, length: entries.size } };
  });
  const [localStorage, sessionStorage] = stores.map(({ store }) => store);
  vi.stubGlobal("window", { localStorage, sessionStorage, location: { origin: "http://localhost" } });
  onTestFinished(() => void vi.unstubAllGlobals());
  return () => stores.flatMap(({ entries }) => [...entries.keys()]);
}

const ok = (body: unknown): Reply => ({ status: 200, body });
const out = { DELETE: ok({ signedIn: false }) };
const renewing = 'POST {"renew":true}';
const opening = 'POST {"open":true}';

test("a visible page checks its session and renews it two minutes before the end, a hidden one does neither", async () => {
  const { asked, page, tools } = await openFixture({ GET: ok(signedIn), [renewing]: ok(signedIn) });
  const look = (leftMs: number, isHidden = false) =>
    lookAtSession(tools, { session, isHidden, nowMs: session.endsAtMs - leftMs });
  await look(120_000, true);
  await look(120_000);
  await look(119_999);
  await look(119_999, true);
  expect(asked).toEqual(["GET", renewing, renewing]);
  expect(page.read()).toMatchObject({ room: { session: { secondsLeft: 900 } } });
});

test("who could not be signed out is told so and stays; else nothing of the visit is left", async () => {
  const left = openBrowser();
  const refused = await openFixture({ DELETE: problem });
  await signOut(refused.tools);
  expect(refused.page.read()).toMatchObject({
    room: {},
    notice: { title: "We couldn’t sign you out" },
  });
  expect(left()).toHaveLength(4);

  const { page, tools } = await openFixture(out);
  await signOut(tools);
  expect(page.read()).toMatchObject({ room: null, notice: null });
  expect(left()).toEqual([notPersonal, notPersonal]);
});

test("a session that cannot be renewed is not renewed", async () => {
  const { asked, tools } = await openFixture({ GET: ok(signedIn) });
  const last = { ...session, isRenewable: false };
  await lookAtSession(tools, { session: last, isHidden: false, nowMs: session.endsAtMs - 1 });
  expect(asked).toEqual(["GET"]);
});

test("the room closes with the server's reason, and the useless cookie is cleared", async () => {
  const { asked, page, tools } = await openFixture({ GET: ok({ signedIn: false, ended }), ...out });
  await lookAtSession(tools, { session, isHidden: false, nowMs: 0 });
  expect(asked).toEqual(["GET", "DELETE"]);
  const notice = { title: "The room has closed", detail: ended.detail };
  expect(page.read()).toMatchObject({ room: null, notice });
});

test("the room stays while its form is sent, which ends the session, and with its receipt", async () => {
  for (const form of [
    { step: "sending", receipt: null },
    { step: "open", receipt: {} },
  ]) {
    const { page, tools } = await openFixture({ GET: ok({ signedIn: false, ended }), ...out });
    page.updateRoom((room) => ({ form: { ...room.form, ...form } as never }));
    await lookAtSession(tools, { session, isHidden: false, nowMs: 0 });
    expect(page.read()).toMatchObject({ room: { form } });
  }
});

test("the room closes when the session is gone or another's, and another's is left alone", async () => {
  for (const answer of [{ signedIn: false }, { ...signedIn, tokenId: "8" }]) {
    const { asked, page, tools } = await openFixture({ GET: ok(answer) });
    await lookAtSession(tools, { session, isHidden: false, nowMs: 0 });
    expect([asked, page.read().room]).toEqual([["GET"], null]);
  }
});

test("nothing is decided while the server cannot answer, and a refused renewal is checked against the session", async () => {
  const silent = await openFixture({ GET: problem, [renewing]: problem });
  await lookAtSession(silent.tools, { session, isHidden: false, nowMs: 0 });
  await lookAtSession(silent.tools, { session, isHidden: false, nowMs: session.endsAtMs - 1 });
  expect([silent.asked, silent.page.read()]).toEqual([["GET", renewing, "GET"], inside(session)]);

  const refused = await openFixture({
    [renewing]: { status: 403, body: ended },
    GET: ok({ signedIn: false, ended }),
    ...out,
  });
  await lookAtSession(refused.tools, { session, isHidden: false, nowMs: session.endsAtMs - 1 });
  expect(refused.asked).toEqual([renewing, "GET", "DELETE"]);
  expect(refused.page.read()).toMatchObject({ room: null });
});

test("a refused renewal is not repeated while the session still holds", async () => {
  const last = { ...signedIn, secondsLeft: 100, isRenewable: false };
  const refusal = { type: "https://x/problems/authentication-failed", status: 401, detail: "As long as one" };
  const { asked, page, tools } = await openFixture({
    [renewing]: { status: 401, body: refusal },
    GET: ok(last),
  });
  await lookAtSession(tools, { session, isHidden: true, nowMs: session.endsAtMs - 1 });
  expect(asked).toEqual([renewing, "GET"]);
  const kept = page.read().room?.session ?? null;
  expect(kept).toMatchObject({ isRenewable: false });
  await lookAtSession(tools, { session: kept!, isHidden: false, nowMs: Date.now() });
  expect(asked).toEqual([renewing, "GET", "GET"]);
});

test("signing out waits for a renewal in flight, so that it cannot bring the cookie back", async () => {
  let finish: (reply: Reply) => void = () => undefined;
  const late = new Promise<Reply>((resolve) => (finish = resolve));
  const { asked, tools } = await openFixture({ [renewing]: late, ...out });
  const both = Promise.all([tools.api.renewSession(), tools.api.endSession()]);
  await expect.poll(() => asked).toEqual([renewing]);
  finish(ok(signedIn));
  await both;
  expect(asked).toEqual([renewing, "DELETE"]);
});

test("a session opens its room, not that of another wallet, and an ended one is cleared", async () => {
  const good = await openFixture({ GET: ok(signedIn), [opening]: ok(granted), ...out }, away);
  const turn = good.page.begin();
  expect(await lookForSession(good.tools, { turn })).toMatchObject({ tokenId: "7" });
  expect(good.page.read()).toMatchObject({ room: { grant: { accessToken: null } } });
  const sameAddress = address.toUpperCase().replace("0X", "0x");
  expect(await lookForSession(good.tools, { turn, address: sameAddress })).toMatchObject({ tokenId: "7" });
  expect(await lookForSession(good.tools, { turn, address: otherAddress })).toBe(null);
  expect(good.asked.at(-1)).toBe("DELETE");

  const over = await openFixture({ GET: ok({ signedIn: false, ended }), ...out }, away);
  expect(await lookForSession(over.tools, { turn: over.page.begin() })).toBe(null);
  expect(over.asked).toEqual(["GET", "DELETE"]);
  const notice = { title: "The room has closed", detail: ended.detail };
  expect(over.page.read()).toMatchObject({ account: null, room: null, notice });
  const none = await openFixture({ GET: ok({ signedIn: false }) }, away);
  await lookForSession(none.tools, { turn: none.page.begin() });
  expect([none.asked, none.page.read()]).toEqual([["GET"], away]);
});

test("a session that answers after the visitor has gone on opens nothing", async () => {
  const { page, tools } = await openFixture({ GET: ok(signedIn), [opening]: ok(granted) }, away);
  const looking = lookForSession(tools, { turn: page.begin() });
  page.begin();
  await looking;
  expect(page.read()).toEqual(away);
});

test("whether there is a session stays unknown where it could not be looked for or opened", async () => {
  const silent: Answers[] = [{ GET: problem }, { GET: ok(signedIn), [opening]: problem }];
  for (const replies of silent) {
    const { tools } = await openFixture(replies);
    expect(await lookForSession(tools, { turn: 3 })).toBe("unknown");
  }
});

test("another wallet finds nothing of a session's person in the browser, the same wallet all of it", async () => {
  const readLeft = openBrowser();
  const before = readLeft();
  const { asked, tools } = await openFixture({ GET: ok(signedIn), [opening]: ok(granted), ...out });
  await lookForSession(tools, { turn: 3, address });
  expect(readLeft()).toEqual(before);
  await lookForSession(tools, { turn: 4, address: otherAddress });
  expect([readLeft(), asked.at(-1)]).toEqual([[notPersonal, notPersonal], "DELETE"]);
});

test("another account in the last visit's wallet finds nothing of that visit either", async () => {
  const lastWallet = { id: "one", name: "One", address: otherAddress } as const;
  for (const [shown, left] of [
    [address, 4],
    [otherAddress, 2],
  ] as const) {
    const readLeft = openBrowser();
    const { asked, tools } = await openFixture(out);
    const account = { address: shown, chainId: 1, walletId: "one", walletName: "One" };
    const wallet = { reconnect: () => Promise.resolve(account) } as unknown as Wallet;
    const openWallet = () => Promise.resolve(wallet);
    await resumeVisit({ ...tools, openWallet }, { lastWallet, openedAs: session });
    expect([readLeft().length, asked]).toEqual([left, left === 4 ? [] : ["DELETE"]]);
  }
});

test("the page keeps the token itself where the browser stored no cookie", async () => {
  const replies = { POST: ok(signedIn), GET: ok(signedIn) };
  const kept = await openFixture(replies, inside());
  await keepSession(kept.tools, "a.b.c");
  expect(kept.asked).toEqual(["POST", "GET"]);
  expect(kept.page.read()).toMatchObject({ room: { session: { tokenId: "7" } } });
  expect(JSON.stringify(kept.page.read())).not.toContain("first");
  const refused = await openFixture({ ...replies, GET: ok({ signedIn: false }) }, inside());
  await keepSession(refused.tools, "a.b.c");
  expect(refused.page.read()).toEqual(inside());
  const others = await openFixture({ ...replies, GET: ok({ ...signedIn, tokenId: "8" }) }, inside());
  await keepSession(others.tools, "a.b.c");
  expect(others.page.read()).toEqual(inside());
});
