import { mkdtemp, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { parseConfig, problemsInProduction, problemsOf, production } from "~e2e/support/config";

const contract = production.KEY_CONTRACT_ADDRESS;
let withKinds: Record<string, string | undefined>;
beforeAll(async () => {
  const token = { standard: "erc721", chainId: 1, contract };
  const keys = [
    { name: "founder", title: "Founder's key", ...token, opens: ["room", "door:Wiki.example.com."] },
    { name: "patron", title: "Patron's key", ...token, opens: ["room", "door:wiki.example.com"] },
    { name: "guest", title: "Guests", ...token },
  ];
  const file = path.join(await mkdtemp(path.join(os.tmpdir(), "latchkey-door-")), "keys.json");
  await writeFile(file, JSON.stringify({ chains: { 1: { rpcUrl: ["https://rpc.example.com"] } }, keys }));
  const { JWT_SECRET, NEXT_PUBLIC_DOMAIN } = production;
  withKinds = { JWT_SECRET, NEXT_PUBLIC_DOMAIN, KEYS_FILE: file };
});

function sitesOf(environment: Record<string, string | undefined>) {
  return parseConfig({ TRUST_PROXY: "1", ...environment }).doorSites.map(({ host, kinds }) => [
    host,
    ...kinds.map(({ name }) => name),
  ]);
}

test("a site is named by its host in normal form, and opens to the one kind there is", () => {
  const DOOR_HOSTS =
    "WIKI.example.com., notes.example.com:8443, bücher.example, localhost:8080, a.example:443";
  expect(sitesOf({ ...production, DOOR_HOSTS })).toEqual([
    ["wiki.example.com", "key"],
    ["notes.example.com:8443", "key"],
    ["xn--bcher-kva.example", "key"],
    ["localhost:8080", "key"],
    ["a.example", "key"],
  ]);
  expect(sitesOf(production)).toEqual([]);
});

test("with several kinds it is the one that is named, or every one that opens the site", () => {
  const DOOR_HOSTS = "wiki.example.com, notes.example.com = guest";
  expect(sitesOf({ ...withKinds, DOOR_HOSTS })).toEqual([
    ["wiki.example.com", "founder", "patron"],
    ["notes.example.com", "guest"],
  ]);
  const { warnings } = parseConfig({ ...withKinds, TRUST_PROXY: "1", DOOR_HOSTS: "other.example.com" });
  expect(warnings.join()).toContain("other.example.com, which no kind of key opens");
});

test.each([
  ["https://wiki.example.com", "not a site"],
  ["wiki.example.com/page", "not a site"],
  ["user:secret@wiki.example.com", "an entry with a user name"],
  ["*.example.com", "not a site"],
  ["wiki.example.com:99999", "not a site"],
  [",", "at least one site"],
  ["wiki.example.com, WIKI.example.com.", "twice"],
  ["wiki.example.com, wiki.example.com:443", "twice"],
  ["gate.example.com", "the gate itself"],
  ["Gate.example.com.:443", "the gate itself"],
  ["gate.example.com:8443", "the gate's own name"],
  ["wiki.example.com, wiki.example.com:8443", "a name of its own"],
  ["a.example:81, b.example, A.example.:82", "a.example:81 and a.example:82"],
  ["wiki.example.com=founder", "a kind of key for wiki.example.com"],
  ["wiki.example.com=", "a kind of key for wiki.example.com"],
])("%s stops the start", (DOOR_HOSTS, words) => {
  const [problem, ...others] = problemsInProduction({ DOOR_HOSTS });
  expect(others).toEqual([]);
  expect(problem).toMatch(/^DOOR_HOSTS /);
  expect(problem).toContain(words);
  expect(problem).not.toContain("secret");
});

test("on this machine ports are enough to tell sites apart", () => {
  const DOOR_HOSTS = "localhost:8080, localhost:8081";
  const environment = { ...production, NEXT_PUBLIC_DOMAIN: "localhost:3000", DOOR_HOSTS };
  expect(sitesOf(environment)).toHaveLength(2);
});

test("the gate's public origin is its own host too, and the state service is needed", () => {
  const DOOR_HOSTS = "www.example.com";
  expect(problemsInProduction({ DOOR_HOSTS, PUBLIC_ORIGIN: "https://www.example.com" }).join()).toContain(
    "the gate itself",
  );
  const otherPort = { DOOR_HOSTS: "www.example.com:8443", PUBLIC_ORIGIN: "https://www.example.com" };
  expect(problemsInProduction(otherPort).join()).toContain("the gate's own name");
  const off = problemsInProduction({ DOOR_HOSTS, NEXT_PUBLIC_ENABLE_STATE_WORKER: "false" });
  expect(off.join()).toContain("DOOR_HOSTS cannot be used while NEXT_PUBLIC_ENABLE_STATE_WORKER is false.");
  expect(problemsOf({ ...withKinds, DOOR_HOSTS: "wiki.example.com=unknown" }).join()).toContain(
    "that does not exist",
  );
});

test("without a trusted proxy the operator is warned", () => {
  expect(parseConfig({ ...production, DOOR_HOSTS: "wiki.example.com" }).warnings.join()).toContain(
    "TRUST_PROXY",
  );
});
