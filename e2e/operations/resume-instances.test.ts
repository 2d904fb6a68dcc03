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

describe("two servers that keep answers in one PostgreSQL", () => {
  let site: ResumeSite;
  beforeAll(async () => void (site = await openResumeSite(longLease)), 120_000);
  afterAll(() => site.close(), 60_000);
  testResumeSharing(() => ({ site, leave: site.way.cut, comeBack: site.way.mend }));

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

describe.skipIf(!hasRedis)("two servers with their state in one Redis", () => {
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

  test("keep answers in PostgreSQL all the same, and count them in Redis", async () => {
    const turn = { ...(await site.enter()), id: site.newConversation() };
    const [writer, other] = site.servers as [ResumeSite["servers"][0], ResumeSite["servers"][0]];
    const live = await site.begin({ ...turn, server: writer, question: askForTalk(50, 10) });
    const reader = await site.takeUp({ ...turn, server: other });
    await Promise.all([live.ended, reader.ended]);
    [live, reader].forEach(expectWhole);
    expect(keptText(reader.events)).toBe(toTalk(50));
    expect(await site.database.keptAnswer.count()).toBe(1);
    const used = Math.ceil(toTalk(50).length / 4);
    expect(await site.readQuota({ ...turn, server: other })).toMatchObject({ used, reserved: 0 });
  });
});
