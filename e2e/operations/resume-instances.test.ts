import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { hasOpenssl } from "~e2e/support/certificates";
import { hasRedis, launchRedis } from "~e2e/support/databases/redis";
import { findFreePort } from "~e2e/support/free-port";
import { keptText } from "~e2e/support/kept-stream";
import { findNginx } from "~e2e/support/obtain-programs";
import { waitUntil } from "~e2e/support/processes";
import { placeConfiguration, startNginx } from "~e2e/support/providers/nginx";
import { askForTalk, openResumeSite, toTalk } from "./resume-fixture";
import type { ResumeSite } from "./resume-fixture";
import { expectWhole, longLease, testLongOutage, testResumeSharing } from "./resume-sharing";

const nginx = hasOpenssl ? findNginx() : null;
/** An idle connection is closed after ten seconds. */
const idleWithinMs = 20_000;

describe("two servers that keep answers in one PostgreSQL", () => {
  let site: ResumeSite;
  beforeAll(async () => void (site = await openResumeSite(longLease)), 120_000);
  afterAll(() => site.close(), 60_000);
  testResumeSharing(() => ({ site, leave: site.way.cut, comeBack: site.way.mend }));

  /** By what each has asked for last; there is nothing else on that connection. */
  const listListeners = () => site.database.$queryRaw<{ pid: number }[]>`
    SELECT "pid" FROM pg_stat_activity WHERE "datname" = current_database()
      AND ("query" LIKE 'LISTEN %' OR "query" LIKE 'SELECT set_config(''synchronous_commit''%')`;

  test("each server listens on one connection while answers are written or read there, and then on none", async () => {
    await waitUntil(async () => (await listListeners()).length === 0, { timeoutMs: idleWithinMs });
    const talkers = await Promise.all(Array.from({ length: 3 }, () => site.enter()));
    const turns = talkers.map((talker) => ({ ...talker, id: site.newConversation() }));
    const readers = await Promise.all(
      turns.flatMap((turn, index) => [
        site.begin({ ...turn, server: site.servers[index % 2]!, question: askForTalk(100, 20) }),
      ]),
    );
    readers.push(
      ...(await Promise.all(
        turns.map((turn, index) => site.takeUp({ ...turn, server: site.servers[1 - (index % 2)]! })),
      )),
    );
    await waitUntil(async () => (await listListeners()).length === 2);
    await Promise.all(readers.map(({ ended }) => ended));
    expect(await listListeners()).toHaveLength(2);
    readers.forEach(expectWhole);
    await waitUntil(async () => (await listListeners()).length === 0, { timeoutMs: idleWithinMs });
  }, 60_000);

  test("readers elsewhere only get slower while nothing notifies", async () => {
    const turn = { ...(await site.enter()), id: site.newConversation() };
    const live = await site.begin({ ...turn, server: site.servers[0]!, question: askForTalk(200, 20) });
    const reader = await site.takeUp({ ...turn, server: site.servers[1]! });
    const hangUp = setInterval(() => {
      void listListeners().then((listeners) =>
        Promise.all(
          listeners.map(({ pid }) => site.database.$queryRaw`SELECT pg_terminate_backend(${pid}::int)`),
        ),
      );
    }, 100);
    onTestFinished(() => clearInterval(hangUp));
    await Promise.all([live.ended, reader.ended]);
    [live, reader].forEach(expectWhole);
    expect(keptText(reader.events)).toBe(toTalk(200));
  });

  test.skipIf(nginx === null)(
    "an answer passes nginx as it is written, at whichever server its readers come out",
    async () => {
      const port = await findFreePort();
      const deployment = await placeConfiguration([
        ["    listen 80;\n", `    listen 127.0.0.1:${await findFreePort()};\n`],
        // In clear on the loopback address.
        ["    listen 443 ssl;", `    listen 127.0.0.1:${port};`],
        ["127.0.0.1:3001", `127.0.0.1:${site.servers[0]!.port}`],
        ["127.0.0.1:3002", `127.0.0.1:${site.servers[1]!.port}`],
      ]);
      const running = await startNginx({ program: nginx!, deployment, port });
      onTestFinished(running.stop);
      const turn = { ...(await site.enter()), id: site.newConversation(), server: { port } };
      const live = await site.begin({ ...turn, question: askForTalk(5_000, 10) });
      const readers = await Promise.all(Array.from({ length: 6 }, () => site.takeUp(turn)));
      await waitUntil(() => readers.every(({ events }) => keptText(events).includes("w50 ")));
      const readBefore = site.servers.map((server) => server.output().length);
      await site.stop(turn);
      await Promise.all([live, ...readers].map(({ ended }) => ended));
      [live, ...readers].forEach(expectWhole);
      for (const reader of readers) expect(keptText(reader.events)).toBe(keptText(live.events));
      for (const [index, server] of site.servers.entries())
        await waitUntil(() => server.output().slice(readBefore[index]).includes("/stream"));
    },
  );
});

describe("two servers whose PostgreSQL is away", () => {
  let site: ResumeSite;
  beforeAll(async () => void (site = await openResumeSite()), 120_000);
  afterAll(() => site.close(), 60_000);
  testLongOutage(() => ({ site, leave: site.way.cut, comeBack: site.way.mend }));
});

type LaunchedRedis = Awaited<ReturnType<typeof launchRedis>>;
const stateIn = ({ url, password }: LaunchedRedis) => ({
  STATE_WORKER_URL: url,
  STATE_WORKER_API_KEY: password,
});

describe.skipIf(!hasRedis)("two servers whose Redis is away", () => {
  let redis: LaunchedRedis;
  let site: ResumeSite;
  beforeAll(async () => {
    redis = await launchRedis();
    site = await openResumeSite(stateIn(redis));
  }, 120_000);
  afterAll(async () => {
    await site.close();
    await redis.stop();
  }, 60_000);
  testLongOutage(() => ({ site, leave: redis.pause, comeBack: redis.resume }));
});

describe.skipIf(!hasRedis)("two servers that keep answers in one Redis", () => {
  let redis: LaunchedRedis;
  let site: ResumeSite;
  beforeAll(async () => {
    redis = await launchRedis();
    site = await openResumeSite({ ...longLease, ...stateIn(redis) });
  }, 120_000);
  afterAll(async () => {
    await site.close();
    await redis.stop();
  }, 60_000);
  testResumeSharing(() => ({ site, leave: redis.pause, comeBack: redis.resume }));

  test("nothing of an answer is in PostgreSQL then", async () => {
    const turn = { ...(await site.enter()), id: site.newConversation() };
    const live = await site.begin({ ...turn, server: site.servers[0]!, question: askForTalk(10, 0) });
    await live.ended;
    expectWhole(live);
    expect(await site.database.keptAnswer.count()).toBe(0);
    expect(await site.database.keptPiece.count()).toBe(0);
  });
});
