import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findFreePort } from "~e2e/support/free-port";
import { readYaml } from "~e2e/support/read-yaml";
import { startServer } from "~e2e/support/running-server";
import { openGate } from "../api/gate-fixture";
import type { Gate } from "../api/gate-fixture";
import { readYamlBlocks } from "./operations-fixture";

type Job = {
  job_name: string;
  scheme?: string;
  authorization?: { credentials_file: string };
  static_configs: { targets: string[] }[];
};

const page = "docs/observability.md";

/** The page's two jobs: for METRICS_PORT, and with METRICS_TOKEN. */
async function readJobs(): Promise<Job[]> {
  const blocks = await Promise.all((await readYamlBlocks(page)).map(readYaml));
  return (blocks as { scrape_configs: Job[] }[]).flatMap((block) => block.scrape_configs);
}

const listTargets = (job: Job) => job.static_configs.flatMap(({ targets }) => targets);

let gate: Gate;
beforeAll(async () => {
  gate = await openGate();
});
afterAll(() => gate.close());

/** Scrapes as Prometheus would by this job, but at the test's server. */
async function scrape(job: Job, env: Record<string, string>, port?: number) {
  const world = { NEXT_PUBLIC_DOMAIN: "gate.example", PUBLIC_ORIGIN: "https://gate.example" };
  const server = await startServer({
    env: { RPC_URL: gate.chain.rpcUrl, KEY_CONTRACT_ADDRESS: gate.contract, ...world, ...env },
  });
  const headers: Record<string, string> = job.authorization
    ? { Authorization: `Bearer ${env.METRICS_TOKEN}` }
    : {};
  try {
    const target = new URL(`${job.scheme ?? "http"}://${listTargets(job)[0]}/metrics`);
    target.port = String(port ?? server.port);
    const answer = await fetch(target, { headers });
    return { status: answer.status, text: await answer.text() };
  } finally {
    await server.stop();
  }
}

test("the scrape jobs have the name that the alerts expect, and loopback targets only", async () => {
  const jobs = await readJobs();
  expect(jobs).toHaveLength(2);
  for (const job of jobs) {
    expect(job.job_name).toBe("latchkey");
    for (const target of listTargets(job)) expect(target).toMatch(/^127\.0\.0\.1:\d+$/);
  }
  const text = await readFile(page, "utf8");
  const ports = [...text.matchAll(/`METRICS_PORT=(\d+)`/g)].map(([, port]) => `127.0.0.1:${port}`);
  expect(listTargets(jobs[0]!)).toEqual(ports);
  // Both ways to run containers publish the server here.
  const [compose, deploying] = await Promise.all(
    ["compose.yaml", "docs/deploying.md"].map((file) => readFile(file, "utf8")),
  );
  const [target] = listTargets(jobs[1]!);
  expect(compose).toContain(`ports: ["${target}:`);
  expect(deploying).toContain(` -p ${target}:`);
});

test("the first scrape job reads a server's own port, the second its public port on loopback", async () => {
  const [own, published] = (await readJobs()) as [Job, Job];
  const port = await findFreePort();
  const env = { METRICS_TOKEN: "metrics-token-of-the-tests-0123" };
  const answers = [await scrape(own, { METRICS_PORT: String(port) }, port), await scrape(published, env)];
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  for (const { text } of answers) expect(text).toContain("latchkey_lease_held");
  const { authorization: _none, ...without } = published;
  expect((await scrape(without, env)).status).toBe(401);
}, 90_000);
