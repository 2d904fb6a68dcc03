import { expect, test } from "vitest";
import { readMessage } from "./message";
import type { McpRequest } from "./message";
import { readRevision } from "./revision";
import type { RevisionHeaders } from "./revision";

const key = "io.modelcontextprotocol/protocolVersion";
const capabilities = { "io.modelcontextprotocol/clientCapabilities": {} };
const newest = "2026-07-28";

type ReadOptions = {
  headers?: Partial<RevisionHeaders>;
  meta?: Record<string, unknown>;
  method?: string;
  params?: Record<string, unknown>;
};

function read({ headers = {}, meta, method = "tools/list", params = {} }: ReadOptions) {
  const body = { jsonrpc: "2.0", id: 1, method, params: { ...params, ...(meta ? { _meta: meta } : {}) } };
  const message = readMessage(body) as McpRequest;
  return readRevision(message, { revision: undefined, method: undefined, name: undefined, ...headers });
}

function codeOf(verdict: ReturnType<typeof read>): number | null {
  return verdict.ok ? null : verdict.error.code;
}

test.each(["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"])(
  "the revision %s is read from the header",
  (revision) => {
    expect(read({ headers: { revision } })).toEqual({ ok: true, revision });
  },
);

test("a client without a revision gets 2025-03-26, and a handshake is bound to none", () => {
  expect(read({})).toEqual({ ok: true, revision: "2025-03-26" });
  expect(read({ method: "initialize", headers: { revision: "1999-01-01" } })).toMatchObject({ ok: true });
});

test.each(["1999-01-01", "2099-01-01", "", "x".repeat(10_000)])(
  "the revision %.20s is refused",
  (revision) => {
    const verdict = read({ headers: { revision } });
    expect(verdict).toMatchObject({ ok: false, error: { code: -32022 } });
    expect(JSON.stringify(verdict).length).toBeLessThan(1000);
  },
);

test("bare messages are accepted with any revision header", () => {
  const message = readMessage({ method: "tools/list" }) as McpRequest;
  const headers = { revision: "1999-01-01", method: "x", name: "y" };
  expect(readRevision(message, headers)).toMatchObject({ ok: true });
});

test("the stateless revision requires its members, and headers that match them", () => {
  const meta = { [key]: newest, ...capabilities };
  const headers = { revision: newest, method: "tools/list" };
  expect(read({ meta, headers })).toEqual({ ok: true, revision: newest });
  expect(codeOf(read({ headers: { revision: newest } }))).toBe(-32602);
  expect(codeOf(read({ meta: { [key]: newest }, headers }))).toBe(-32602);
  expect(codeOf(read({ meta: { ...meta, [key]: 5 }, headers }))).toBe(-32602);
  expect(codeOf(read({ meta, headers: { ...headers, revision: "2025-11-25" } }))).toBe(-32020);
  expect(codeOf(read({ meta, headers: { ...headers, method: "tools/call" } }))).toBe(-32020);
  expect(codeOf(read({ meta, headers: { method: "tools/list" } }))).toBe(-32020);
  expect(codeOf(read({ meta, headers: { revision: newest } }))).toBe(-32020);
  expect(codeOf(read({ meta: { ...meta, [key]: "2099-01-01" } }))).toBe(-32022);
});

test("a call names its tool in a header too, in Base64 where it has to", () => {
  const call = (name: string | undefined, asked: string) =>
    codeOf(
      read({
        method: "tools/call",
        params: { name: asked },
        meta: { [key]: newest, ...capabilities },
        headers: { revision: newest, method: "tools/call", name },
      }),
    );
  expect(call("key_status", "key_status")).toBeNull();
  expect(call(`=?base64?${Buffer.from("schlüssel").toString("base64")}?=`, "schlüssel")).toBeNull();
  expect(call("mark_key_used", "key_status")).toBe(-32020);
  expect(call(undefined, "key_status")).toBe(-32020);
  for (const broken of ["=?base64?%%%?=", "=?base64?/w==?="]) expect(call(broken, "key_status")).toBe(-32020);
});
