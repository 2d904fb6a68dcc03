import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { mintTestKey } from "../../contracts/mint-test-key";
import { startGateServer } from "../support/browser/gate-server";
import type { GateServer } from "../support/browser/gate-server";
import { clientOf } from "./gate-fixture";

const secrets = {
  METRICS_TOKEN: "a-token-of-the-tests-for-metrics-only",
  QUOTA_RESET_SECRET: "a-secret-of-the-tests-for-quotas-only",
};
/** The site in the examples. */
const site = "wiki.example.com";
let server: GateServer;

beforeAll(async () => {
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
afterAll(() => server?.stop());

/** The access token of a new holder. */
async function becomeHolder(): Promise<string> {
  const client = clientOf({ origin: server.baseUrl });
  const account = privateKeyToAccount(generatePrivateKey());
  await client.post("/demo/faucet", { address: account.address });
  const { chainId, contractAddress, rpcUrl } = server;
  const tokenId = await mintTestKey({ account, chainId, contractAddress, rpcUrl });
  return String((await client.signIn({ account, tokenId })).body.accessToken);
}

/** The status of each operation's example, sent by a holder. Examples that somebody else signed are refused. */
const expected: Record<string, number> = {
  getNonce: 200,
  openGate: 401,
  submitForm: 401,
  getTokenStatus: 200,
  getPublicKeys: 200,
  listKeys: 200,
  // Keeping a session takes a token or the example's body, which needs the cookie.
  getSession: 200,
  keepSession: 401,
  endSession: 200,
  // The address, and the headers that mark a page request, come from the proxy.
  askDoor: 401,
  startSite: 302,
  // The browser has to start on the site.
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
  // Its path contains the digest of a logo that this server lacks.
  getManifest: 200,
  getServiceWorker: 200,
  getBrandFile: 404,
  fillWallet: 200,
  askDemoChain: 200,
};

type Parameter = { in: "path" | "query" | "header"; name: string; required?: boolean; example?: string };
type Body = { content: Record<string, { example?: unknown; examples?: Record<string, { value: unknown }> }> };
type Described = {
  operationId: string;
  security: Record<string, unknown>[];
  parameters?: Parameter[];
  requestBody?: Body;
};

/** Headers that a site's proxy adds to forwarded requests. */
const bySite = { "X-Forwarded-Host": site, "X-Forwarded-Proto": "https" };

/** An operation's example as a request: required parameters, the first body, and its secret. */
function exampleOf(path: string, operation: Described, tokens: Record<string, string>) {
  const { operationId, security, parameters = [], requestBody } = operation;
  const isDoor = operationId === "askDoor";
  const given = parameters.filter(({ name, required }) => required || (isDoor && name !== "jwt"));
  const query = new URLSearchParams();
  const headers: Record<string, string> = path.startsWith("/.latchkey/") ? { ...bySite } : {};
  let address = path;
  for (const parameter of given) {
    const value = parameter.example ?? "";
    if (parameter.in === "path") address = address.replace(`{${parameter.name}}`, value);
    if (parameter.in === "query") query.set(parameter.name, value);
    if (parameter.in === "header") headers[parameter.name] = value;
  }
  const scheme = security.flatMap((way) => Object.keys(way)).find((name) => name in tokens);
  if (scheme) headers.Authorization = `Bearer ${tokens[scheme]}`;
  const { example, examples = {} } = Object.values(requestBody?.content ?? {})[0] ?? {};
  const body = Object.values(examples)[0]?.value ?? example;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  return { address: query.size > 0 ? `${address}?${query}` : address, headers, body };
}

test("the example of every operation gets the operation's response", async () => {
  const tokens = {
    bearerAuth: await becomeHolder(),
    metricsToken: secrets.METRICS_TOKEN,
    quotaResetSecret: secrets.QUOTA_RESET_SECRET,
  };
  const description = await (await fetch(`${server.baseUrl}/api/openapi`)).json();
  const { paths } = description as { paths: Record<string, Record<string, Described>> };
  const statuses: Record<string, number> = {};
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const { address, headers, body } = exampleOf(path, operation, tokens);
      const response = await fetch(`${server.baseUrl}${address}`, {
        method: method.toUpperCase(),
        headers,
        body: body === undefined ? undefined : JSON.stringify(body),
        redirect: "manual",
      });
      await response.arrayBuffer();
      statuses[operation.operationId] = response.status;
    }
  }
  expect(statuses).toEqual(expected);
}, 60_000);
