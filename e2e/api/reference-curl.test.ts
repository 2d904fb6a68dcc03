import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { mintTestKey } from "../../contracts/mint-test-key";
import { readReference } from "~/reference/read-reference";
import type { ApiDocument, ReferenceParameter } from "~/reference/read-reference";
import { parameterKey, startingValues, writeCurl } from "~/reference/request";
import type { RequestValues } from "~/reference/request";
import { startGateServer } from "../support/browser/gate-server";
import type { GateServer } from "../support/browser/gate-server";
import { clientOf } from "./gate-fixture";

const secrets = {
  METRICS_TOKEN: "a-token-of-the-tests-for-metrics-only",
  QUOTA_RESET_SECRET: "a-secret-of-the-tests-for-quotas-only",
};
/** The one of the examples. */
const site = "wiki.example.com";
let server: GateServer;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "latchkey-curl-"));
  server = await startGateServer({
    env: {
      TTS_PROVIDER: "flite",
      AI_OFFLINE_WORD_MS: "0",
      NEXT_PUBLIC_AI_CHAT_REQUIRES_JWT: "true",
      METRICS_TOKEN: secrets.METRICS_TOKEN,
      AI_QUOTA_RESET_SECRET: secrets.QUOTA_RESET_SECRET,
      DOOR_HOSTS: site,
    },
  });
}, 120_000);
afterAll(async () => {
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** The access token of somebody who has just got a key. */
async function becomeHolder(): Promise<string> {
  const client = clientOf({ origin: server.baseUrl });
  const account = privateKeyToAccount(generatePrivateKey());
  await client.post("/demo/faucet", { address: account.address });
  const { chainId, contractAddress, rpcUrl } = server;
  const tokenId = await mintTestKey({ account, chainId, contractAddress, rpcUrl });
  return String((await client.signIn({ account, tokenId })).body.accessToken);
}

/** What each operation answers to its example, sent by a holder. Examples that somebody else signed are refused. */
const expected: Record<string, number> = {
  getNonce: 200,
  openGate: 401,
  submitForm: 401,
  getTokenStatus: 200,
  getPublicKeys: 200,
  listKeys: 200,
  // Keeping a session takes either a token or what its example's body says, which needs the cookie.
  getSession: 200,
  keepSession: 401,
  endSession: 200,
  // What it is asked is with the proxy; so are the visitor's headers that make it a page.
  askDoor: 401,
  startSite: 302,
  // The browser has to have begun on the site.
  enterSite: 400,
  leaveSite: 302,
  getMedia: 403,
  getSandbox: 200,
  chat: 200,
  resumeChat: 204,
  stopChat: 204,
  listModels: 200,
  speak: 200,
  getQuota: 200,
  resetQuotas: 200,
  callTools: 200,
  getProtectedResource: 200,
  getSettings: 200,
  getOpenApi: 200,
  getHealth: 200,
  getReadiness: 200,
  getMetrics: 200,
  // Its address holds the digest of a logo that this server does not have.
  getManifest: 200,
  getServiceWorker: 200,
  getBrandFile: 404,
  fillWallet: 200,
  askDemoChain: 200,
};

/** What the proxy of a site adds to the requests that it hands on. */
const bySite = `-H 'X-Forwarded-Host: ${site}' -H 'X-Forwarded-Proto: https'`;

function run(line: string, env: Record<string, string>, added = ""): Promise<string> {
  // The status comes behind whatever the line itself prints.
  const script = `curl() { command curl "$@" ${added} -w '\\n%{http_code}'; }\n${line}\n`;
  return new Promise((resolve, reject) => {
    const options = { cwd: folder, env: { PATH: process.env.PATH, ...env } as unknown as NodeJS.ProcessEnv };
    execFile("bash", ["-euo", "pipefail", "-c", script], options, (error, stdout, stderr) =>
      error ? reject(new Error(`${line}\n${stderr}`, { cause: error })) : resolve(stdout),
    );
  });
}

function fill(values: RequestValues, parameter: ReferenceParameter): void {
  values.parameters[parameterKey(parameter)] = parameter.example;
}

test("the curl line of every operation runs in a shell and gets the operation's answer", async () => {
  const accessToken = await becomeHolder();
  const document = (await (await fetch(`${server.baseUrl}/api/openapi`)).json()) as ApiDocument;
  const { groups, origin } = readReference(document);
  const statuses: Record<string, number> = {};
  for (const operation of groups.flatMap(({ operations }) => operations)) {
    const values = startingValues(operation, true);
    if (operation.id === "askDoor") for (const parameter of operation.parameters) fill(values, parameter);
    const line = writeCurl(operation, values, origin);
    expect(line).not.toContain(accessToken);
    const added = operation.path.startsWith("/.latchkey/") ? bySite : "";
    const printed = await run(line, { ACCESS_TOKEN: accessToken, ...secrets }, added);
    statuses[operation.id] = Number(printed.trimEnd().split("\n").at(-1));
  }
  expect(statuses).toEqual(expected);
}, 60_000);
