import { expect, onTestFinished, test } from "vitest";
import { openTcpSwitch } from "~e2e/support/browser/tcp-switch";
import { hasRedis, startRedis } from "~e2e/support/databases/redis";
import { limitsOff } from "~e2e/support/limits";
import { startPostgresql } from "../../prisma/shadow-databases.mjs";
import { signInNew } from "./chat-fixture";
import { openDoorClient, wiki } from "./door-fixture";
import { openGate } from "./gate-fixture";

/** A signed-in visitor, and one at each step of signing in. */
async function openDoor(env: Record<string, string | undefined>) {
  const gate = await openGate({ env: { ...limitsOff, DOOR_HOSTS: wiki, TRUST_PROXY: "loopback", ...env } });
  onTestFinished(() => gate.close());
  const door = openDoorClient(gate);
  const { token } = await signInNew(gate);
  const cookie = await door.letIn(token);
  const pending = await door.beginWayIn(token);
  const { order } = await door.start();
  return {
    ask: () => door.question({ cookie }),
    goOn: () => door.goOn(token, order),
    enter: () => door.visit(pending.enterPath, { cookie: pending.startCookie }),
  };
}

const away = [503, expect.any(String), []];
type Answered = { status: number; headers: Headers };
function outcomeOf({ status, headers }: Answered) {
  return [status, headers.get("retry-after"), headers.getSetCookie()];
}

test.skipIf(!hasRedis)("without Redis who is in stays in, and nobody new comes in", async () => {
  const redis = await startRedis();
  const visitors = await openDoor({ STATE_WORKER_URL: redis.url, STATE_WORKER_API_KEY: redis.password });
  await redis.kill();
  expect((await visitors.ask()).status).toBe(200);
  expect(outcomeOf(await visitors.goOn())).toEqual(away);
  expect(outcomeOf(await visitors.enter())).toEqual(away);
});

test("without the database nobody is let in, and no cookie is taken back", async () => {
  const postgresql = await startPostgresql();
  onTestFinished(() => postgresql.stop());
  const way = await openTcpSwitch();
  onTestFinished(way.close);
  const url = new URL(await postgresql.createDatabase());
  way.leadTo(Number(url.port));
  url.port = String(way.port);
  url.hostname = "127.0.0.1";
  const visitors = await openDoor({ DATABASE_URL: url.href });
  way.leadTo(null);
  for (const answer of [await visitors.ask(), await visitors.goOn(), await visitors.enter()]) {
    expect(outcomeOf(answer)).toEqual(away);
  }
});
