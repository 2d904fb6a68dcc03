import { setTimeout as delay } from "node:timers/promises";
import { signForm, signSiwe } from "~/commands/signed-requests";
import type { Holder } from "~/commands/signed-requests";
import { bodyOf } from "./client";
import type { Exchange, Question } from "./client";
import { resetSecret } from "./load-site";
import type { LoadSite } from "./load-site";
import type { Random } from "./random";
import type { LoadRecord, Talker } from "./record";
import type { Later } from "./cleanup";

type LoadParts = { site: LoadSite; record: LoadRecord; random: Random };

const abandoned = "The load was abandoned.";
type Worker = () => Promise<void>;

const workerCounts = { enter: 2, comeBack: 1, useKeys: 3, talk: 3, operate: 1, look: 1, intrude: 1 } as const;
/** The pause after a failed request: shorter than any part of a start, so requests meet every part of it. */
const againAfterMs = 15;
/** Sign-ins that may be replayed while their message is fresh enough for the nonce to decide. */
const replayable = 50;

/** Runs everything that writes data at once, until it is stopped. */
export async function startLoad({
  later,
  ...parts
}: LoadParts & { later: Later }): Promise<{ stop: () => Promise<void> }> {
  let isStopping = false;
  // Otherwise a client would retry forever at a server that nobody restarts.
  later(() => {
    isStopping = true;
    parts.site.requests.abandon(new Error(abandoned));
  });
  const makers = { enter, comeBack, useKeys, talk, operate, look, intrude };
  const workers: Worker[] = [];
  for (const [name, count] of Object.entries(workerCounts) as [keyof typeof makers, number][]) {
    for (let index = 0; index < count; index += 1) workers.push(await makers[name](parts));
  }
  async function keepGoing(worker: Worker): Promise<void> {
    while (!isStopping) {
      await worker();
      await delay(parts.random.between(0, 10));
    }
  }
  const all = Promise.all(workers.map(keepGoing));
  // `stop` rejects on a failure. Until then nothing handles it.
  all.catch(() => undefined);
  return {
    stop: async () => {
      isStopping = true;
      await all;
    },
  };
}

/** Retries until the response isn't about an outage. */
async function insist(site: LoadSite, question: Question): Promise<Exchange> {
  for (;;) {
    const exchange = await site.requests.ask(question);
    if (exchange.ended === "answered" && exchange.status < 500) return exchange;
    await delay(againAfterMs);
  }
}

async function sign(site: LoadSite, holder: Holder) {
  const { nonce } = bodyOf(await insist(site, { path: "/api/nonce" }));
  return signSiwe({ site: site.gate, holder, nonce: String(nonce) });
}

const signInBy = (json: { nonce: string }): Question => ({ path: "/api/gate-access", method: "POST", json });

/** Signs in until it succeeds, with a new nonce for each try. */
async function signIn({
  site,
  record,
  holder,
}: Pick<LoadParts, "site" | "record"> & { holder: Holder }): Promise<string> {
  for (;;) {
    const body = await sign(site, holder);
    const exchange = await site.requests.ask(signInBy(body));
    noteGrant(record, body.nonce, exchange);
    if (exchange.status === 200) return `Bearer ${String(bodyOf(exchange).accessToken)}`;
    await delay(againAfterMs);
  }
}

function noteGrant(record: LoadRecord, nonce: string, exchange: Exchange): void {
  if (exchange.status !== 200) return;
  record.nonceGrants.set(nonce, (record.nonceGrants.get(nonce) ?? 0) + 1);
}

/** Signs in with several copies of one proof at once, and sometimes with an old one. */
async function enter({ site, record, random }: LoadParts): Promise<Worker> {
  const holder = await site.keys.take();
  const old: Awaited<ReturnType<typeof sign>>[] = [];
  return async () => {
    const replayed = random.chance(0.4) ? random.pick(old) : undefined;
    const body = replayed ?? (await sign(site, holder));
    const copies = Array.from({ length: random.between(1, 3) }, () => site.requests.ask(signInBy(body)));
    for (const exchange of await Promise.all(copies)) noteGrant(record, body.nonce, exchange);
    if (!replayed && old.push(body) > replayable) old.shift();
  };
}

/** Uses the token of an earlier sign-in. */
async function comeBack({ site, record }: LoadParts): Promise<Worker> {
  const bearer = await signIn({ site, record, holder: await site.keys.take() });
  return async () => {
    const question = { path: "/api/gate-access", method: "POST", headers: { authorization: bearer } };
    const exchange = await site.requests.ask(question);
    if (exchange.status !== 200) await delay(againAfterMs);
  };
}

/** Uses one key after the other. Several clients compete for each until one learns that it is used. */
async function useKeys({ site, record, random }: LoadParts): Promise<Worker> {
  return async () => {
    const holder = await site.keys.take();
    const bearer = random.chance(0.25) ? await signIn({ site, record, holder }) : null;
    for (let attempt = 1; ; attempt += 1) {
      const rivals = random.between(1, 4);
      const messages = Array.from({ length: rivals }, (_, index) => `client ${index}, attempt ${attempt}`);
      const forms = await Promise.all(
        messages.map((message) => signForm({ site: site.gate, holder, message })),
      );
      const answers = await Promise.all([
        ...forms.map((form) => submitForm({ site, record, holder, form })),
        ...(bearer === null ? [] : [useByTool({ site, record, holder, bearer })]),
      ]);
      if (answers.some((isKnownAsUsed) => isKnownAsUsed)) return;
      await delay(againAfterMs);
    }
  };
}

async function submitForm({
  site,
  record,
  holder,
  form,
}: Pick<LoadParts, "site" | "record"> & {
  holder: Holder;
  form: Awaited<ReturnType<typeof signForm>>;
}): Promise<boolean> {
  const exchange = await site.requests.ask({ path: "/api/form-submission-gate", method: "POST", json: form });
  if (exchange.status === 200) record.uses.push({ holder, message: form.message });
  return exchange.status === 200 || exchange.status === 403;
}

async function useByTool({
  site,
  record,
  holder,
  bearer,
}: Pick<LoadParts, "site" | "record"> & { holder: Holder; bearer: string }): Promise<boolean> {
  const exchange = await site.requests.ask({
    path: "/api/mcp",
    method: "POST",
    headers: { authorization: bearer },
    json: { method: "tools/call", params: { name: "mark_key_used", arguments: {} } },
  });
  const { result } = bodyOf(exchange) as { result?: unknown };
  const isUsed = exchange.status === 200 && result !== undefined;
  if (isUsed) record.uses.push({ holder, message: null });
  return isUsed;
}

async function beTalker({ site, record }: Pick<LoadParts, "site" | "record">): Promise<Talker> {
  const holder = await site.keys.take();
  const bearer = await signIn({ site, record, holder });
  const talker = { holder, bearer, asked: 0, finished: 0 };
  record.talkers.push(talker);
  return talker;
}

async function talk({ site, record }: LoadParts): Promise<Worker> {
  const talker = await beTalker({ site, record });
  return () => askOnce(site, talker);
}

async function askOnce(site: LoadSite, talker: Talker): Promise<void> {
  const exchange = await site.requests.ask({
    path: "/api/chat",
    method: "POST",
    headers: { authorization: talker.bearer },
    json: { messages: [{ role: "user", content: "Hello" }] },
  });
  if (exchange.ended === "unreached") return await delay(againAfterMs);
  talker.asked += 1;
  const isWhole = exchange.text.endsWith("data: [DONE]\n\n") && !exchange.text.includes('"type":"error"');
  if (isWhole) talker.finished += 1;
  else await delay(againAfterMs);
}

/** Uses its own quota and resets it. Anything that survives an acknowledged reset is a fault. */
async function operate({ site, record, random }: LoadParts): Promise<Worker> {
  const talker = await beTalker({ site, record });
  const { tokenId } = talker.holder;
  return async () => {
    for (let left = random.between(2, 6); left > 0; left -= 1) await askOnce(site, talker);
    const reset = await insist(site, {
      path: "/api/quota-reset",
      method: "POST",
      headers: { "x-quota-reset-secret": resetSecret },
      json: { scope: "token", tokenIds: [tokenId] },
    });
    if (reset.status !== 200) throw new Error(`A reset was answered with ${reset.status}: ${reset.text}`);
    record.resets.push(String(reset.headers["x-request-id"]));
    Object.assign(talker, { asked: 0, finished: 0 });
    const question = { path: "/api/quota", headers: { authorization: talker.bearer } };
    const standing = bodyOf(await insist(site, question));
    if (standing.used !== 0 || standing.reserved !== 0) record.resetsThatLeftSomething += 1;
  };
}

/** Reads acknowledged data. */
async function look({ site, record, random }: LoadParts): Promise<Worker> {
  return async () => {
    await site.requests.ask({ path: "/readyz" });
    const use = random.pick(record.uses);
    if (!use) return await delay(againAfterMs);
    const { tokenId } = use.holder;
    const exchange = await site.requests.ask({ path: `/api/token-status/${tokenId}` });
    if (exchange.status === 200 && bodyOf(exchange).used !== true) record.deniedUses.push(tokenId);
    if (exchange.ended !== "answered") await delay(againAfterMs);
  };
}

/** Tries to get in with somebody else's key and with its own used one. Both must fail. */
async function intrude({ site, record, random }: LoadParts): Promise<Worker> {
  const { tokenId } = await site.keys.take();
  const foreign = { account: site.keys.stranger, tokenId };
  return async () => {
    const used = random.chance(0.5) ? record.uses.at(-1)?.holder : undefined;
    const holder = used ?? foreign;
    const exchange = await site.requests.ask(signInBy(await sign(site, holder)));
    if (exchange.status === 200) record.wrongGrants.push(`sign-in with key ${holder.tokenId}`);
    await delay(againAfterMs);
  };
}
