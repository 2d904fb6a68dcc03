import { decodeJwt } from "jose";
import type { Gate } from "~e2e/api/gate-fixture";
import { bodyOf } from "../client";
import type { Client, Exchange, Question } from "../client";
import type { DayClock } from "../day-clock";
import type { Dice } from "../dice";
import type { Tally } from "../tally";

const visitors = 5_000;
/** What JWT_CLOCK_TOLERANCE is where nobody sets it. */
const toleranceMs = 5_000;

export type Holder = Awaited<ReturnType<Gate["mintKey"]>>;
/** What a sign-in gives, and until when it is valid by the server's clock. */
type Pass = { token: string; endsAtMs: number; audioPath: string; audioEndsAtMs: number };
export type Visit = { holder: Holder; pass: Pass; entering: Promise<boolean> | null };
export type Day = {
  gate: Gate;
  client: Client;
  clock: DayClock;
  dice: Dice;
  /** What came, and what of it should not have. */
  tally: Tally;
  faults: Tally;
  visits: Visit[];
};

/** One of thousands behind the proxy. */
export function from({ dice }: Pick<Day, "dice">): Record<string, string> {
  const visitor = Math.floor(dice.next() * visitors);
  return { "X-Forwarded-For": `10.1.${visitor >> 8}.${visitor & 255}` };
}

export const bearerOf = ({ token }: Pick<Pass, "token">) => ({ Authorization: `Bearer ${token}` });

/** A proof for POST /api/gate-access, made now by the server's clock, and from where it may be sent. */
export async function prove(day: Day, holder: Holder) {
  const { gate, client, clock, dice } = day;
  const headers = from(day);
  const nowMs = clock.nowMs();
  if (dice.next() < 0.2) return { headers, json: await gate.legacyBody({ ...holder, timestamp: nowMs }) };
  const { nonce } = bodyOf(await client.ask({ path: "/api/nonce", headers }));
  const fields = { issuedAt: new Date(nowMs).toISOString() };
  return { headers, json: await gate.siweBody({ ...holder, nonce: String(nonce), fields }) };
}

export const show = (proof: Awaited<ReturnType<typeof prove>>): Question => ({
  path: "/api/gate-access",
  method: "POST",
  ...proof,
});

/** Null where it was refused. A proof that met a move of the clock is out of its time, and is made again. */
export async function signIn(day: Day, holder: Holder): Promise<Pass | null> {
  for (;;) {
    const stood = day.clock.markTurn();
    const exchange = await day.client.ask(show(await prove(day, holder)));
    if (exchange.status === 200) return readPass(exchange);
    if (stood() || exchange.status !== 401) return null;
    day.tally.count("proofs made again");
  }
}

function readPass(exchange: Exchange): Pass {
  const { content, accessToken } = bodyOf(exchange) as {
    content: { audioData: { audioSrc: string } };
    accessToken: string;
  };
  const audioPath = content.audioData.audioSrc;
  const audioEndsAtMs = Number(new URLSearchParams(audioPath.split("?")[1]).get("exp")) * 1_000;
  return { token: accessToken, endsAtMs: endOf(accessToken), audioPath, audioEndsAtMs };
}

const endOf = (token: string) => decodeJwt(token).exp! * 1_000 + toleranceMs;

/**
 * Asks with what a holder has. A client whose token has expired signs in again and asks once more; every other
 * refusal is the answer.
 */
export async function askAsHolder(day: Day, write: (pass: Pass) => Question): Promise<Exchange> {
  const visit = day.dice.pick(day.visits);
  for (;;) {
    const { pass } = visit;
    const exchange = await day.client.ask(write(pass));
    if (!hasRunOut(day, pass, exchange)) return exchange;
    day.tally.count("refused for their age");
    if (!(await enterAgain(day, visit, pass))) return exchange;
  }
}

function hasRunOut(day: Day, pass: Pass, exchange: Exchange): boolean {
  const nowMs = day.clock.nowMs();
  return exchange.question.path === pass.audioPath
    ? exchange.status === 403 && nowMs >= pass.audioEndsAtMs
    : exchange.status === 401 && nowMs >= pass.endsAtMs;
}

/** Once for all who found the same pass too old. */
async function enterAgain(day: Day, visit: Visit, pass: Pass): Promise<boolean> {
  if (visit.pass !== pass) return true;
  visit.entering ??= enter(day, visit).finally(() => (visit.entering = null));
  return visit.entering;
}

export async function enter(day: Day, visit: Visit): Promise<boolean> {
  const pass = await signIn(day, visit.holder);
  if (pass) visit.pass = pass;
  return pass !== null;
}

/** As the gate's page does it while it is open: a younger token for the one in the cookie. */
export async function renew(day: Day, visit: Visit): Promise<boolean> {
  for (;;) {
    const { pass } = visit;
    const exchange = await day.client.ask({
      path: "/session",
      method: "POST",
      json: { renew: true },
      headers: { ...from(day), cookie: `access_token=${pass.token}` },
    });
    if (hasRunOut(day, pass, exchange)) {
      day.tally.count("refused for their age");
      if (!(await enterAgain(day, visit, pass))) return false;
      continue;
    }
    const token = /^access_token=([^;]+)/.exec(exchange.headers["set-cookie"]?.[0] ?? "")?.[1];
    if (exchange.status !== 200 || token === undefined) return false;
    visit.pass = { ...pass, token, endsAtMs: endOf(token) };
    return true;
  }
}
