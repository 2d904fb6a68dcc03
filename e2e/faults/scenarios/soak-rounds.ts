import { bodyOf } from "../client";
import { isWholeAnswer } from "./soak-requests";
import { bearerOf, from, prove, show, signIn } from "./soak-visits";
import type { Day, Holder } from "./soak-visits";
import { signInAsOperator } from "~e2e/support/operator-session";

export const secrets = { reset: "Vx3pQ8mLr6Zt2Wk9", operator: "Qm7rV2kXw9TzLc4H" };
/** Room for all concurrent answers of one key, each with the longest one reserved. */
export const quotaTokens = 4_000;
export const longestAnswerTokens = 200;
export const talkative = "Everything, please.";

const nonceLimit = { path: "/api/nonce", points: 30 };
const statusLimit = { path: "/api/token-status/1", points: 60 };
const beyond = 3;

/** What happens once an hour, and what of it is to be refused an hour later. */
export class Rounds {
  private readonly old: { ask: () => Promise<number>; refusal: number }[] = [];

  constructor(
    private readonly day: Day,
    private readonly keysToSpend: Holder[],
    private readonly glutton: Holder,
  ) {}

  /** While the clock stands. */
  async play({ hour }: { hour: number }): Promise<void> {
    await this.comeBack();
    await Promise.all([
      this.flood(nonceLimit),
      this.flood(statusLimit),
      this.useQuotaUp({ isReset: hour % 2 === 0 }),
      this.spendKey(),
      this.operate(),
      this.leaveBehind(),
    ]);
  }

  private expect(isTrue: boolean, what: string): void {
    if (!isTrue) this.day.faults.count(what);
  }

  /** One client uses a limit up, which is open again by the next hour. */
  private async flood({ path, points }: typeof nonceLimit): Promise<void> {
    const { client } = this.day;
    const headers = { "X-Forwarded-For": "203.0.113.7" };
    const asked = Array.from({ length: points + beyond }, () => client.ask({ path, headers }));
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    this.expect(statuses.filter((status) => status === 200).length === points, `let through at ${path}`);
    this.expect(statuses.filter((status) => status === 429).length === beyond, `refused at ${path}`);
  }

  /** One holder uses the window of their quota up; the window ends within the hour, or is reset. */
  private async useQuotaUp({ isReset }: { isReset: boolean }): Promise<void> {
    const { day, glutton } = this;
    const { client } = day;
    const pass = await signIn(day, glutton);
    if (!pass) return this.expect(false, "the glutton turned away");
    const headers = bearerOf(pass);
    const json = { messages: [{ role: "user", content: talkative }] };
    const talk = () =>
      client.ask({ path: "/api/chat", method: "POST", json, headers: { ...from(day), ...headers } });
    for (let told = 0; told < quotaTokens / longestAnswerTokens; told += 1)
      this.expect(isWholeAnswer(await talk()), "an answer within a quota");
    this.expect((await talk()).status === 429, "an answer beyond a quota");
    if (!isReset) return;
    const reset = await client.ask({
      path: "/api/quota-reset",
      method: "POST",
      headers: { ...from(day), "x-quota-reset-secret": secrets.reset },
      json: { scope: "token", tokenIds: [glutton.tokenId] },
    });
    this.expect(reset.status === 200, "a reset");
    const { used, reserved } = bodyOf(await client.ask({ path: "/api/quota", headers }));
    this.expect(used === 0 && reserved === 0, "a quota after its reset");
    this.expect(isWholeAnswer(await talk()), "an answer after a reset");
  }

  private async spendKey(): Promise<void> {
    const { day } = this;
    const { client, clock, gate } = day;
    const holder = this.keysToSpend.pop()!;
    const { tokenId } = holder;
    const send = async () => {
      const json = await gate.formBody({ ...holder, message: `Key ${tokenId}.`, timestamp: clock.nowMs() });
      const path = "/api/form-submission-gate";
      return (await client.ask({ path, method: "POST", json, headers: from(day) })).status;
    };
    this.expect((await send()) === 200, "a form");
    this.expect((await send()) === 403, "a form for a used key");
    const state = await client.ask({ path: `/api/token-status/${tokenId}`, headers: from(day) });
    this.expect(bodyOf(state).used === true, "the state of a used key");
    this.expect(
      (await client.ask(show(await prove(day, holder)))).status === 403,
      "a sign-in with a used key",
    );
  }

  private async operate(): Promise<void> {
    const { client, gate } = this.day;
    const visitor = from(this.day);
    const cookie = await signInAsOperator({
      origin: gate.origin,
      secret: secrets.operator,
      headers: visitor,
    });
    const look = async (page: string) =>
      (await client.ask({ path: `/operator/${page}`, headers: { ...visitor, cookie } })).status;
    for (const page of ["state", "activity", "keys", "submissions", "quotas", "limits", "decisions"])
      this.expect((await look(page)) === 200, `the operator's ${page}`);
    this.old.push({ ask: () => look("state"), refusal: 302 });
  }

  /** A token and a proof that nobody shows before the next hour. */
  private async leaveBehind(): Promise<void> {
    const { day } = this;
    const [{ holder }] = day.visits as [Day["visits"][number]];
    const [pass, proof] = [await signIn(day, holder), await prove(day, holder)];
    if (!pass) return this.expect(false, "a holder turned away");
    const token = { path: "/api/gate-access", method: "POST", json: {}, headers: bearerOf(pass) };
    for (const question of [token, show(proof)])
      this.old.push({ ask: async () => (await day.client.ask(question)).status, refusal: 401 });
  }

  private async comeBack(): Promise<void> {
    for (const { ask, refusal } of this.old.splice(0)) {
      const status = await ask();
      if (status === 200) this.day.tally.count("old and still good");
      this.expect(status === 200 || status === refusal, "a refusal of what is old");
      this.day.tally.count("old");
    }
  }
}
