import { expect, test } from "vitest";
import * as z from "zod";
import { Refusal } from "~/platform/refusals/refusal";
import { defineTool, toToolOffer } from "./tool";
import type { Tool } from "./tool";
import { createKeyStatusTool } from "./key-tools.server";
import { readToolInput, runTool } from "./run-tool.server";
import { createSearchTool } from "./search-tool";

const signal = new AbortController().signal;

function toolThat(run: Tool["run"], changes: Partial<Tool> = {}): Tool {
  return {
    ...defineTool({ name: "t", description: "", inputSchema: z.strictObject({}), run }),
    ...changes,
  };
}

function run(tool: Tool, input: unknown = {}) {
  return runTool({ tool, input, caller: null, signal, log: { warn: () => undefined } });
}

test("a tool that ignores its signal is abandoned at its time limit", async () => {
  let told: unknown;
  const deaf = toolThat(
    ({ signal: its }) => {
      its.addEventListener("abort", () => (told = its.reason));
      return new Promise(() => {});
    },
    { timeoutMs: 30 },
  );
  expect(await run(deaf)).toEqual({ ok: false, errorText: "The tool did not answer within 0.03 seconds." });
  expect(told).toBeInstanceOf(Error);
});

test("an output of exactly 768 KiB is passed on whole, one byte more is a failure", async () => {
  const text = "ä".repeat((768 * 1024) / 2);
  const structure = { text: text.slice('{"text":""}'.length / 2 + 1) + "a" };
  expect(Buffer.byteLength(JSON.stringify(structure))).toBe(768 * 1024);
  const tooLarge = { ok: false, errorText: "The tool's answer is larger than 768 KiB, which is too large." };
  expect(await run(toolThat(async () => text))).toEqual({
    ok: true,
    output: text,
    outputText: JSON.stringify(text),
  });
  expect(await run(toolThat(async () => structure))).toMatchObject({ ok: true, output: structure });
  expect(await run(toolThat(async () => `${text}a`))).toEqual(tooLarge);
  expect(await run(toolThat(async () => ({ text: `${structure.text}a` })))).toEqual(tooLarge);
});

test("outputs become plain data: no functions, big integers as digits, nothing as null, circles refused", async () => {
  expect(await run(toolThat(async () => ({ n: 10n, f: () => 1 })))).toMatchObject({ output: { n: "10" } });
  expect(await run(toolThat(async () => undefined))).toMatchObject({ output: null, outputText: "null" });
  const ring: { self?: unknown } = {};
  ring.self = ring;
  expect(await run(toolThat(async () => ring))).toEqual({ ok: false, errorText: "The tool failed." });
});

test("invalid arguments are explained in a few words, however long they are", async () => {
  const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`member${index}`, 1]));
  for (const input of [many, { ["x".repeat(200_000)]: 1 }]) {
    const outcome = await run(
      toolThat(async () => "x"),
      input,
    );
    expect(outcome).toMatchObject({ ok: false, notRun: "arguments" });
    expect(JSON.stringify(outcome).length).toBeLessThan(1_200);
  }
});

test("key_status accepts digits or an integer and returns what the gate knows", async () => {
  const tokenIds: string[] = [];
  const tool = createKeyStatusTool({
    readKeyStatus: async ({ tokenId }) => {
      tokenIds.push(tokenId);
      return { tokenId, exists: true, owner: "0xabc", used: false, usedBy: null, usedAt: null };
    },
  });
  expect(await run(tool, { tokenId: "7" })).toMatchObject({
    ok: true,
    output: { tokenId: "7", owner: "0xabc" },
  });
  expect(await run(tool, { tokenId: 8 })).toMatchObject({ ok: true, output: { tokenId: "8" } });
  for (const tokenId of ["0x7", "-1", "1.5", "", "1".repeat(79), null, -1, 1.5]) {
    expect(await run(tool, { tokenId })).toMatchObject({ ok: false });
  }
  expect(tokenIds).toEqual(["7", "8"]);
});

test("words of a refusal are passed on, those of other errors are hidden", async () => {
  const failing = (error: Error) => createKeyStatusTool({ readKeyStatus: () => Promise.reject(error) });
  const refusal = new Refusal("chain-unavailable", { detail: "The blockchain could not be asked." });
  expect(await run(failing(refusal), { tokenId: "7" })).toEqual({
    ok: false,
    errorText: "The blockchain could not be asked.",
  });
  expect(await run(failing(new Error("pg://user:pw")), { tokenId: "7" })).toEqual({
    ok: false,
    errorText: "The tool failed.",
  });
});

test("offered tools have a JSON Schema of what a model may send", () => {
  const offer = toToolOffer(
    createSearchTool({
      requireHolder: async () => undefined,
      gatedNamespaces: [],
      store: {
        vendor: "libsql",
        indexes: ["knowledge"],
        hasPublicPages: async () => false,
        search: async () => [],
      },
    }),
  );
  expect(offer).toMatchObject({
    name: "libsql_search",
    inputJsonSchema: {
      type: "object",
      required: ["query"],
      additionalProperties: false,
      properties: { topK: { type: "integer", minimum: 1, maximum: 100, default: 5 } },
    },
  });
  expect(
    toToolOffer(createKeyStatusTool({ readKeyStatus: () => Promise.reject(new Error()) })),
  ).toMatchObject({
    inputJsonSchema: { required: ["tokenId"] },
  });
});

test("a token id with an exponent or a fraction does not fit the tool", async () => {
  const tokenIds: string[] = [];
  const tool = createKeyStatusTool({
    readKeyStatus: async ({ tokenId }) => {
      tokenIds.push(tokenId);
      return { tokenId, exists: false, owner: null, used: false, usedBy: null, usedAt: null };
    },
  });
  const ask = async (inputText: string) => {
    const read = readToolInput(inputText);
    if (!read.ok) return expect.unreachable();
    return runTool({
      tool,
      input: read.value,
      caller: null,
      signal,
      log: { warn: () => undefined },
    });
  };
  for (const written of ["1e3", "7.0"]) {
    expect(await ask(`{"tokenId":${written}}`)).toMatchObject({ ok: false, notRun: "arguments" });
  }
  expect(await ask('{"tokenId":7}')).toMatchObject({ ok: true });
  expect(tokenIds).toEqual(["7"]);
});
