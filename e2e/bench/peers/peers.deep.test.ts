import { createServer } from "node:http";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { startTestChain } from "~e2e/support/chain/chain";
import type { TestChain } from "~e2e/support/chain/chain";
import { createTestDir } from "~e2e/support/databases/database";
import { demoContent } from "~e2e/support/demo-content";
import { waitUntil } from "~e2e/support/processes";
import { listen } from "~/platform/http/connection/http-server.server";
import { grantKeys, keySeries } from "../bench-keys";
import type { Load, LoadResult } from "../load-generator";
import type { PrepareCall, SideName, Target } from "../costs/operation";
import { originOf, repeating } from "../costs/operation";
import { mediaRangeBytes, operations } from "../costs/operations";
import { askForWords, askToBeHeld } from "../scale/ask-for-words";
import type { ReadersAnswer, ReadersOrder } from "../scale/chat-readers-process";
import type { ModelAnswer, ModelOrder } from "../scale/model-process";
import type { ProxyAnswer, ProxyOrder } from "../scale/round-robin-process";
import { fixedOperations, fixedRequests } from "../fixed-answers";
import type { FixedAnswer, FixedRequest } from "../fixed-answers";
import { prepareOlderSignIns, preparePluginSignIns } from "../sign-in";
import { toolOperations } from "../costs/tool-operations";
import { startWorkerProcess } from "../worker-process";
import type { WorkerModule } from "../worker-process";
import type { AiSdkAnswer, AiSdkOrder } from "./ai-sdk-server";
import type { PluginSetup } from "./better-auth-server";
import type { FilesSetup } from "./express-files-server";
import type { FastifySetup } from "./fastify-server";
import type { StatementsSetup } from "./gate-statements";
import type { SdkSetup } from "./sdk-tools-server";

const series = { firstTokenId: 500, count: 60 };
const rounds = 20;

let chain: TestChain;
let generateLoad: (load: Load) => Promise<LoadResult>;
let stopGenerator: () => Promise<void>;
beforeAll(async () => {
  ({ ask: generateLoad, stop: stopGenerator } = startWorkerProcess<Load, LoadResult>("load-generator.ts"));
  chain = await startTestChain();
  await grantKeys({ chain, ...series });
});
afterAll(async () => {
  await stopGenerator();
  await chain.stop();
});

/** A process that ends with the test. */
function startProcess<Message extends object, Value>(module: WorkerModule, nodeOptions: string[] = []) {
  const started = startWorkerProcess<Message, Value>(module, { nodeOptions });
  onTestFinished(started.stop);
  return started;
}

function targetAt(port: number, changes: Partial<Target> = {}): Target {
  return {
    port,
    chainId: chain.chainId,
    accessToken: "a-token",
    operatorCookie: "operator=a",
    needsSignatures: false,
    holders: keySeries(series)(10),
    takeUnusedKeys: keySeries(series),
    ...changes,
  };
}

/** A few requests of the operation, every answer judged as in a measurement. */
async function runOperation(slug: string, side: SideName, target: Target) {
  const prepare = operations.find((operation) => operation.slug === slug)!.sides[side]!;
  const call: PrepareCall = { target, requests: rounds, generateLoad };
  const load = { port: target.port, ...(await prepare(call)), connections: 4, maxSeconds: 20 };
  return await generateLoad({ ...load, keepBodies: true });
}

async function statementsSetup(): Promise<StatementsSetup> {
  const [holder] = keySeries(series)(1);
  const { tokenId, address } = holder!;
  return {
    databaseUrl: pathToFileURL(path.join(await createTestDir(), "peer.db")).href,
    key: { chainId: chain.chainId, contractAddress: chain.key.address, tokenId },
    holder: address,
    bodies: {
      signIn: '{"accessToken":"of the gate"}',
      bearer: '{"access":"granted"}',
      session: '{"signedIn":true}',
    },
  };
}

/** Every operation at which this side is measured. */
async function runAll(side: SideName, target: Target) {
  const answered: string[] = [];
  for (const { slug } of operations.filter((operation) => side in operation.sides)) {
    const { requests } = await runOperation(slug, side, target);
    expect({ slug, requests }).toEqual({ slug, requests: rounds });
    answered.push(slug);
  }
  return answered;
}

async function startFastify(): Promise<number> {
  const peer = startProcess<FastifySetup, { port: number }>("peers/fastify-server.ts");
  const visitor = { accessToken: "a-token", operatorCookie: "operator=a" };
  const toAnswer = ({ path, headers, holds }: FixedRequest): FixedAnswer => ({
    path,
    isSignedIn: "Cookie" in headers(visitor),
    type: "text/plain; charset=utf-8",
    body: `${holds} of ${path}`,
  });
  const { port } = await peer.ask({ ...(await statementsSetup()), fixed: fixedRequests.map(toAnswer) });
  return port;
}

test("Fastify answers every operation it is measured by as expected", async () => {
  const answered = await runAll("Fastify", targetAt(await startFastify()));
  expect(answered).toEqual([
    ...["nonce", "older-signature", "bearer", "session", "session-start"],
    ...["renewal", "entering", "sign-out", "status", "operator-table", "operator-export", "form"],
    ...["quota", "quota-reset", "tts-fresh", ...fixedOperations.map(({ slug }) => slug)],
  ]);
});

test("a round with a legacy signature that Fastify has seen fails", async () => {
  const target = targetAt(await startFastify());
  const prepared = await prepareOlderSignIns({ target, requests: 1, generateLoad });
  const load = { port: target.port, ...prepared, connections: 1, maxSeconds: 20 };
  expect((await generateLoad(load)).requests).toBe(1);
  await expect(generateLoad(load)).rejects.toThrow("spent before");
});

test("a round with a key that Fastify has seen used fails", async () => {
  const port = await startFastify();
  const takeAgain = { takeUnusedKeys: (count: number) => Array(count).fill(keySeries(series)(1)[0]!) };
  const run = runOperation("form", "Fastify", targetAt(port, takeAgain));
  await expect(run).rejects.toThrow("not as expected");
});

test("bare Node answers every operation it is measured by as expected", async () => {
  const peer = startProcess<StatementsSetup, { port: number }>("peers/bare-server.ts");
  const { port } = await peer.ask(await statementsSetup());
  const answered = await runAll("bare Node", targetAt(port));
  expect(answered).toEqual(["nonce", "siwe", "bearer", "status"]);
});

test("Express serves the requested range of a recording, and speech unchanged", async () => {
  const dir = await createTestDir();
  const speechFile = path.join(dir, "speech.mp3");
  await writeFile(speechFile, Buffer.from([0xff, 0xfb, 1, 2]));
  const peer = startProcess<FilesSetup, { port: number }>("peers/express-files-server.ts");
  const target = targetAt((await peer.ask({ folder: demoContent, speechFile })).port);
  const media = await runOperation("media", "Express", target);
  expect(media.bodies[0]).toHaveLength(mediaRangeBytes);
  const speech = await runOperation("tts", "Express", target);
  expect(speech.bodies[0]).toBe("\u00ff\u00fb\u0001\u0002");
});

test("better-auth admits the holder of the key, once for each nonce, and asks the chain", async () => {
  const holders = keySeries(series)(10);
  const start = async (keys: PluginSetup["keys"]) => {
    const peer = startProcess<PluginSetup, { port: number }>("peers/better-auth-server.ts");
    const databaseFile = path.join(await createTestDir(), "better-auth.db");
    const { port } = await peer.ask({
      databaseFile,
      rpcUrl: chain.rpcUrl,
      contractAddress: chain.key.address,
      keys,
    });
    return targetAt(port, { holders, needsSignatures: true });
  };
  const keys = Object.fromEntries(holders.map(({ address, tokenId }) => [address, tokenId]));
  const target = await start(keys);
  const { bodies } = await runOperation("siwe", "better-auth", target);
  expect(new Set(bodies.map((body) => (JSON.parse(body) as { token: string }).token)).size).toBe(rounds);

  const prepared = await preparePluginSignIns({ target, requests: 1, generateLoad });
  const load = { port: target.port, ...prepared, repeat: 2, connections: 1, maxSeconds: 20 };
  await expect(generateLoad(load)).rejects.toThrow("nonce");

  const unsigned = { ...target, needsSignatures: false };
  await expect(runOperation("siwe", "better-auth", unsigned)).rejects.toThrow("401");
  const swapped = Object.fromEntries(
    holders.map(({ address }, at) => [address, holders.at(at - 1)!.tokenId]),
  );
  const deceived = await start(swapped);
  await expect(runOperation("siwe", "better-auth", deceived)).rejects.toThrow("401");
});

test("the AI SDK passes on every word of the model, buffered or at once, and reports what it buffers", async () => {
  const model = startProcess<ModelOrder, ModelAnswer>("scale/model-process.ts");
  const started = await model.ask({ order: "start" });
  const sdk = startProcess<AiSdkOrder, AiSdkAnswer>("peers/ai-sdk-server.ts", ["--expose-gc"]);
  const opened = await sdk.ask({ order: "start", baseUrl: "baseUrl" in started ? started.baseUrl : "" });
  const url = `http://127.0.0.1:${"port" in opened ? opened.port : 0}/`;
  const readers = startProcess<ReadersOrder, ReadersAnswer>("scale/chat-readers-process.ts");
  const ask = async (content: string) => {
    const body = JSON.stringify({ messages: [{ role: "user", content }] });
    const heard = await readers.ask({ order: "open", url, body, streams: 5 });
    expect("firstWordMs" in heard && heard.firstWordMs.every((ms) => ms > 0)).toBe(true);
  };
  await ask(askForWords(12));
  expect(await readers.ask({ order: "finish" })).toEqual({ ended: 5 });
  expect(await readers.ask({ order: "count" })).toEqual({ words: 60, isAllOpen: false });

  expect(await model.ask({ order: "hold" })).toEqual({ streams: 0 });
  await ask(askToBeHeld(5));
  expect(await readers.ask({ order: "count" })).toEqual({ words: 5, isAllOpen: true });
  expect(await model.ask({ order: "speak" })).toEqual({ streams: 5 });
  await waitUntil(async () => {
    const heard = await readers.ask({ order: "count" });
    return "words" in heard && heard.words > 20;
  });
  expect(await sdk.ask({ order: "memory" })).toEqual({ heldBytes: expect.any(Number) as number });
  await model.ask({ order: "end" });
  expect(await readers.ask({ order: "finish" })).toEqual({ ended: 5 });

  const refusing = createServer((_request, response) => response.writeHead(503).end());
  const refusingPort = await listen(refusing, "127.0.0.1", 0);
  onTestFinished(() => void refusing.close().closeAllConnections());
  const refused = readers.ask({
    order: "open",
    url: `http://127.0.0.1:${refusingPort}/`,
    body: "{}",
    streams: 1,
  });
  await expect(refused).rejects.toThrow("503");
});

test("the AI SDK answers the chat that it is measured by", async () => {
  const model = startProcess<ModelOrder, ModelAnswer>("scale/model-process.ts");
  const started = await model.ask({ order: "start" });
  const sdk = startProcess<AiSdkOrder, AiSdkAnswer>("peers/ai-sdk-server.ts");
  const opened = await sdk.ask({ order: "start", baseUrl: "baseUrl" in started ? started.baseUrl : "" });
  const target = targetAt("port" in opened ? opened.port : 0);
  const { bodies } = await runOperation("chat", "AI SDK", target);
  expect(bodies[0]!.split("word ")).toHaveLength(21);
});

async function startSdkTools() {
  const sdk = startProcess<SdkSetup, { port: number }>("peers/sdk-tools-server.ts");
  const toTool = (name: string, ...inputs: string[]) => {
    const properties = Object.fromEntries(inputs.map((input) => [input, { type: "string" }]));
    return { name, description: "Does something.", inputSchema: { type: "object", properties } };
  };
  const { key, holder } = await statementsSetup();
  const setup: SdkSetup = {
    key,
    holder,
    gatedText: "# Welcome\n\nto the room",
    contentDir: demoContent,
    dataDir: await createTestDir(),
    tools: [
      ...[toTool("libsql_search", "query"), toTool("key_status", "tokenId")],
      ...[toTool("get_gated_content"), toTool("mark_key_used")],
    ],
  };
  return targetAt((await sdk.ask(setup)).port);
}

test("the official SDK lists the tools and answers every call as is expected, a key used up each time", async () => {
  const target = await startSdkTools();
  const answers: Record<string, string[]> = {};
  for (const { sides, slug } of toolOperations) {
    const prepared = await sides["MCP SDK"]!({ target, requests: 5, generateLoad });
    const load = { port: target.port, ...prepared, connections: 2, maxSeconds: 20, keepBodies: true };
    const { requests, bodies } = await generateLoad(load);
    expect({ slug, requests }).toEqual({ slug, requests: 5 });
    answers[slug] = bodies;
  }
  const usedKeys = answers["tools-mark-key-used"]!.map(
    (body) => (JSON.parse(body) as { result: { structuredContent: object } }).result.structuredContent,
  );
  expect(new Set(usedKeys.map((used) => (used as { tokenId: string }).tokenId)).size).toBe(5);
});

test("the proxy forwards to each server in turn and passes answers on", async () => {
  const proxy = startProcess<ProxyOrder, ProxyAnswer>("scale/round-robin-process.ts");
  const listening = await proxy.ask({ order: "listen" });
  if (!("port" in listening)) throw new Error("It did not listen.");
  const ports: number[] = [];
  for (const name of ["one", "two", "three"]) {
    const server = createServer((_request, response) => response.end(`I am ${name}.`));
    ports.push(await listen(server, "127.0.0.1", 0));
    onTestFinished(() => void server.close().closeAllConnections());
  }
  await proxy.ask({ order: "serve", ports });
  const said: string[] = [];
  const target = targetAt(listening.port);
  for (let index = 0; index < 6; index += 1) said.push(await (await fetch(originOf(target))).text());
  expect(said.slice(0, 3)).toEqual(["I am one.", "I am two.", "I am three."]);
  expect(said.slice(3)).toEqual(said.slice(0, 3));
  expect(await proxy.ask({ order: "count" })).toEqual({ answered: [2, 2, 2] });
});

test("a load ends with the first unexpected answer", async () => {
  const server = createServer((_request, response) => response.end("hello"));
  onTestFinished(() => void server.close().closeAllConnections());
  const target = targetAt(await listen(server, "127.0.0.1", 0));
  const run = async (expected: Load["expected"]) => {
    const prepared = await repeating({ method: "GET", path: "/", expected })({
      target,
      requests: 5,
      generateLoad,
    });
    return await generateLoad({ port: target.port, ...prepared, connections: 2, maxSeconds: 20 });
  };
  expect((await run({ holds: "hello" })).requests).toBe(5);
  await expect(run({ holds: "goodbye" })).rejects.toThrow("not as expected");
  await expect(run({ holds: "hello", status: 206 })).rejects.toThrow("not as expected");
  await expect(run({ holds: "hello", bytes: 4 })).rejects.toThrow("not as expected");
});
