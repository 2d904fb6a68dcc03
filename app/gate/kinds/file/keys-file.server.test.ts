import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { readKeysFile } from "./keys-file.server";
import type { KeysFile } from "./keys-file.server";

const folder = mkdtempSync(path.join(os.tmpdir(), "latchkey-keys-"));
afterAll(() => rmSync(folder, { recursive: true }));

const contract = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
const usdc = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
const guest = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";

type Members = Record<string, unknown>;

const token = (members: Members = {}) => ({
  name: "founder",
  title: "Founder's key",
  standard: "erc721",
  chainId: 1,
  contract,
  ...members,
});
const membership = (members: Members = {}) => ({
  name: "patron",
  title: "Patrons",
  standard: "membership",
  requires: leaf(),
  ...members,
});
const leaf = (members: Members = {}) => ({ erc20: usdc, chainId: 1, atLeast: "2500000", ...members });
const nested = (depth: number): unknown => (depth === 1 ? leaf() : { not: nested(depth - 1) });

function readText(text: string, rpcUrls: Record<string, string[]> = {}) {
  const file = path.join(folder, "keys.json");
  writeFileSync(file, text);
  return readKeysFile(file, new Map(Object.entries(rpcUrls)));
}

const read = (file: unknown, rpcUrls: Record<string, string[]> = { 1: ["https://one.example.com"] }) =>
  readText(JSON.stringify(file), rpcUrls);

function readGood(...parameters: Parameters<typeof read>): KeysFile {
  const found = read(...parameters);
  if ("mistakes" in found) throw new Error(found.mistakes.join("\n"));
  return found;
}

function mistakesOf(...parameters: Parameters<typeof read>): readonly string[] {
  const found = read(...parameters);
  return "mistakes" in found ? found.mistakes : [];
}

const mistakesOfKind = (kind: unknown) => mistakesOf({ chains: { 1: {} }, keys: [kind] });
const mistakesOfLeaf = (node: unknown) => mistakesOfKind(token({ also: { any: [node] } }));

test("the file of the specification is read, addresses in lower case and defaults in their places", () => {
  writeFileSync(path.join(folder, "guests.txt"), `# of tonight\n${guest} # the first\n\n`);
  const founder = token({
    delegation: "latchkey",
    also: {
      any: [
        { erc20: usdc, chainId: 8453, atLeast: "2500000", label: "2.5 USDC on Base" },
        { addressesFile: "guests.txt", label: "On the guest list", secret: true },
      ],
    },
    opens: ["room", "chat", "door:WIKI.example.com"],
    get: { url: "https://example.com/buy", text: "Buy one" },
  });
  const requires = { all: [{ erc721: contract, chainId: 1, atLeast: "1" }, { not: { addresses: [guest] } }] };
  const { kinds, chains, addressLists } = readGood(
    { chains: { 1: {}, 8453: {} }, keys: [founder, membership({ chainId: 1, requires })] },
    { 1: ["https://one.example.com"], 8453: ["https://base.example.com", "https://other.example.com"] },
  );
  const lower = contract.toLowerCase();
  const list = { has: expect.any(Function) as unknown };
  expect(chains).toEqual([
    { id: 1, rpcUrls: ["https://one.example.com"] },
    { id: 8453, rpcUrls: ["https://base.example.com", "https://other.example.com"] },
  ]);
  expect(addressLists.map(({ file }) => file)).toEqual([path.join(folder, "guests.txt")]);
  expect(kinds).toEqual([
    {
      name: "founder",
      title: "Founder's key",
      standard: "erc721",
      chainId: 1,
      contract: lower,
      keptUnder: { chainId: 1, contractAddress: lower },
      delegation: "latchkey",
      delegatesMayUse: false,
      opens: ["room", "chat", "door:wiki.example.com"],
      get: { url: "https://example.com/buy", text: "Buy one" },
      requirement: {
        type: "any",
        of: [
          {
            type: "leaf",
            leaf: {
              type: "erc20",
              contract: usdc.toLowerCase(),
              chainId: 8453,
              atLeast: 2_500_000n,
              label: "2.5 USDC on Base",
              isSecret: false,
            },
          },
          {
            type: "leaf",
            leaf: {
              type: "addresses",
              list: expect.objectContaining(list) as unknown,
              label: "On the guest list",
              isSecret: true,
            },
          },
        ],
      },
    },
    {
      name: "patron",
      title: "Patrons",
      standard: "membership",
      chainId: 1,
      contract: null,
      keptUnder: { chainId: 0, contractAddress: "membership:patron" },
      delegation: "none",
      delegatesMayUse: false,
      opens: ["room", "chat", "tts", "tools"],
      requirement: {
        type: "all",
        of: [
          {
            type: "leaf",
            leaf: { type: "erc721", contract: lower, chainId: 1, atLeast: 1n, isSecret: false },
          },
          { type: "not", of: { type: "leaf", leaf: { type: "addresses", list, isSecret: false } } },
        ],
      },
    },
  ]);
  expect(addressLists[0]!.has("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266")).toBe(true);
  expect(addressLists[0]!.has(usdc)).toBe(false);
});

test("every standard and every leaf is read", () => {
  const leaves = [
    leaf(),
    { erc721: contract, chainId: 1, atLeast: "1" },
    { erc1155: contract, chainId: 1, tokenId: "0", atLeast: "3" },
    { native: true, chainId: 1, atLeast: "1000000000000000000" },
    { unlock: contract, chainId: 1 },
    { addresses: [guest] },
  ];
  const standards = ["erc721", "erc1155", "unlock", "erc4907"];
  const keys = standards.map((standard) => token({ name: standard, standard, also: { all: leaves } }));
  const { kinds } = readGood({ chains: { 1: {} }, keys });
  expect(kinds.map(({ standard }) => standard)).toEqual(standards);
  const { requirement } = kinds[0]!;
  const types = requirement?.type === "all" && requirement.of.map((of) => of.type === "leaf" && of.leaf.type);
  expect(types).toEqual(["erc20", "erc721", "erc1155", "native", "unlock", "addresses"]);
});

test("a membership's chain may be left out where the file has one, and only there", () => {
  expect(readGood({ chains: { 1: {} }, keys: [membership()] }).kinds[0]!.chainId).toBe(1);
  const two = { chains: { 1: {}, 10: { rpcUrl: ["https://ten.example.com"] } }, keys: [membership()] };
  expect(mistakesOf(two)).toEqual(["keys[0].chainId: is missing: the file has several chains."]);
});

test("every mistake is told at once, with its place", () => {
  const keys = [
    token({ name: "Founder", also: { any: [leaf({ atLeast: "0" }), { not: leaf({ chainId: 10 }) }] } }),
    membership({ title: "x".repeat(121), colour: "red", requires: { all: [] } }),
    { name: "other", also: { any: [{ erc20: usdc, chainId: 1 }] } },
  ];
  expect(
    mistakesOf({ chains: { 1: {}, 5: {} }, keys, more: 1 }, { 1: ["https://a.example"], 7: [] }),
  ).toEqual([
    "more: is not known here.",
    "chains: does not list the chain of RPC_URL_7.",
    'chains["5"]: needs an RPC address: set RPC_URL_5.',
    "keys[0].name: must be 1 to 32 of a-z, 0-9 and -, beginning with a letter.",
    'keys[0].also.any[0].atLeast: must be a whole number of at least 1 in base units, in quotation marks: "1".',
    "keys[0].also.any[1].not.chainId: is not listed in `chains`.",
    "keys[1].title: must be one line of 1 to 120 visible characters, without spaces around it.",
    "keys[1].colour: is not known here.",
    "keys[1].requires.all: must be a list of at least one requirement.",
    "keys[2].standard: is missing.",
    "keys[2].title: is missing.",
    "keys[2].chainId: is missing.",
    "keys[2].contract: is missing.",
    "keys[2].also.any[0].atLeast: is missing.",
  ]);
});

test("no mistake hides another one beside it", () => {
  const keys = [
    token({ title: "", chainId: 5, opens: ["room", "gate", "room"] }),
    token({ also: leaf({ atLeast: "0", chainId: 10 }) }),
    membership({ title: "", chainId: 5 }),
  ];
  expect(mistakesOf({ chains: { 1: {} }, keys }).map((mistake) => mistake.split(": ")[0])).toEqual([
    "keys[0].chainId",
    "keys[0].opens[2]",
    "keys[0].title",
    "keys[0].opens[1]",
    "keys[1].also.atLeast",
    "keys[1].also.chainId",
    "keys[2].chainId",
    "keys[2].title",
    "keys[1].name",
  ]);
});

test("`chains` and `keys` hide nothing of each other where one cannot be used", () => {
  const wrongKind = token({ title: "", also: leaf({ atLeast: "0" }) });
  expect(mistakesOf({ chains: [], keys: [wrongKind, membership()] })).toEqual([
    "chains: must be an object.",
    expect.stringMatching(/^keys\[0\]\.title/),
    expect.stringMatching(/^keys\[0\]\.also\.atLeast/),
  ]);
  expect(mistakesOf({ chains: { 1: {}, 5: {} }, keys: {} })).toEqual([
    "keys: must be a list.",
    'chains["5"]: needs an RPC address: set RPC_URL_5.',
  ]);
});

test("a member with a name of every object's is not known, and no chain", () => {
  const text = JSON.stringify({
    chains: { 1: { rpcUrl: ["https://a.example"] }, proto: {} },
    keys: [token({ proto: 1, constructor: 1 })],
  });
  expect(readText(text.replaceAll('"proto"', '"__proto__"'))).toEqual({
    mistakes: [
      "chains.__proto__: must be named by the chain's number.",
      "keys[0].__proto__: is not known here.",
      "keys[0].constructor: is not known here.",
    ],
  });
});

const otherChain = { chains: { 1: {} }, keys: [token({ chainId: 5 })] };
const inFile = { rpcUrl: ["https://file.example.com/a-secret"] };

test.each([
  ["the file", [], "the file: must be an object with `chains` and `keys`."],
  ["no kinds", { chains: { 1: {} }, keys: [] }, "keys: must list at least one kind of key."],
  ["no chains", { keys: [token()] }, "chains: is missing."],
  ["a chain's name", { chains: { 1: {}, "0x1": {} }, keys: [token()] }, /^chains\["0x1"\]: must be named/],
  ["a chain's member", { chains: { 1: { url: 1 } }, keys: [token()] }, 'chains["1"].url: is not known here.'],
  ["an unlisted chain", otherChain, "keys[0].chainId: is not listed in `chains`."],
  [
    "two homes of one address",
    { chains: { 1: inFile }, keys: [token()] },
    /^chains\["1"\]\.rpcUrl: .* beside RPC_URL_1/,
  ],
  [
    "a name twice",
    { chains: { 1: {} }, keys: [token(), token()] },
    "keys[1].name: is another kind's already.",
  ],
])("%s: a mistake in the file's own members is told", (_, file, told) => {
  expect(mistakesOf(file)).toEqual([typeof told === "string" ? told : expect.stringMatching(told)]);
});

test.each([
  [token({ name: "a".repeat(33) }), "name"],
  [token({ name: "1st" }), "name"],
  [token({ title: "two\nlines" }), "title"],
  [token({ title: "turned \u202e round" }), "title"],
  [token({ title: "" }), "title"],
  [token({ contract: "0x5fbdb2315678afecb367f032d93f642f64180aA3" }), "contract"],
  [token({ chainId: "1" }), "chainId"],
  [token({ standard: "erc20" }), "standard"],
  [token({ requires: leaf() }), "requires"],
  [token({ delegation: "all" }), "delegation"],
  [token({ delegatesMayUse: "yes" }), "delegatesMayUse"],
  [token({ opens: [] }), "opens"],
  [token({ opens: ["room", "gate"] }), "opens[1]"],
  [token({ opens: ["door:https://wiki.example.com/"] }), "opens[0]"],
  [token({ opens: ["chat", "chat"] }), "opens[1]"],
  [token({ get: { url: "javascript:alert(1)", text: "Buy" } }), "get.url"],
  [token({ get: { url: "https://example.com" } }), "get.text"],
  [token({ also: null }), "also"],
  [membership({ requires: undefined }), "requires"],
  [membership({ also: leaf() }), "also"],
  [membership({ contract }), "contract"],
  [membership({ chainId: 5 }), "chainId"],
])("a kind as %j is told to be wrong at %s", (kind, place) => {
  expect(mistakesOfKind(kind).map((mistake) => mistake.split(": ")[0])).toEqual([`keys[0].${place}`]);
});

test.each([
  [leaf({ atLeast: 1 }), ".atLeast"],
  [leaf({ atLeast: "01" }), ".atLeast"],
  [leaf({ atLeast: "1.5" }), ".atLeast"],
  [leaf({ atLeast: String(2n ** 256n) }), ".atLeast"],
  [leaf({ tokenId: "1" }), ".tokenId"],
  [leaf({ label: "x".repeat(121) }), ".label"],
  [leaf({ secret: "yes" }), ".secret"],
  [leaf({ erc721: contract }), ""],
  [{ chainId: 1, atLeast: "1" }, ""],
  ["erc20", ""],
  [{ erc1155: contract, chainId: 1, atLeast: "1" }, ".tokenId"],
  [{ erc1155: contract, chainId: 1, tokenId: 7, atLeast: "1" }, ".tokenId"],
  [{ native: false, chainId: 1, atLeast: "1" }, ".native"],
  [{ unlock: contract, chainId: 1, atLeast: "1" }, ".atLeast"],
  [{ addresses: [guest, "0x1"] }, ".addresses[1]"],
  [{ addresses: [guest], chainId: 1 }, ".chainId"],
  [{ addressesFile: "no-such-list.txt" }, ".addressesFile"],
  [{ addressesFile: "." }, ".addressesFile"],
  [{ all: leaf() }, ".all"],
  [{ any: [leaf()], label: "either" }, ".label"],
  [{ not: [leaf()] }, ".not"],
])("a requirement with %j is told to be wrong at its place%s", (node, place) => {
  const places = mistakesOfLeaf(node).map((mistake) => mistake.split(": ")[0]);
  expect(places).toEqual([`keys[0].also.any[0]${place}`]);
});

test("a requirement is at most five levels deep and has at most 50 leaves", () => {
  const ofLeaves = (count: number) => token({ also: { all: Array.from({ length: count }, () => leaf()) } });
  expect(mistakesOfKind(token({ also: nested(5) }))).toEqual([]);
  expect(mistakesOfKind(token({ also: nested(6) }))).toEqual([
    "keys[0].also.not.not.not.not.not: is more than 5 levels deep in this requirement.",
  ]);
  expect(mistakesOfKind(ofLeaves(50))).toEqual([]);
  expect(mistakesOfKind(ofLeaves(51))).toEqual(["keys[0].also: has 51 leaves; at most 50 are possible."]);
});

test("a member that stands twice is told, since only one of the two would count", () => {
  const text = `{"chains":{"1":{}},"keys":[{"name":"a"},{"name":"b","title":"\\"name\\":","name":"c"}]}`;
  const found = readText(text);
  expect("mistakes" in found && found.mistakes).toContain("keys[1].name: is there twice.");
  expect("mistakes" in found && found.mistakes.filter((told) => told.includes("twice"))).toHaveLength(1);
});

test("a file that is no JSON, is not there or is too large is told in one sentence, without its content", () => {
  expect(readText('{"keys": hunter2}')).toEqual({ mistakes: ["the file: is not valid JSON."] });
  expect(readKeysFile(path.join(folder, "none.json"), new Map())).toEqual({
    mistakes: ["the file: cannot be read (ENOENT)."],
  });
  expect(readKeysFile(folder, new Map())).toEqual({ mistakes: ["the file: is no file."] });
  expect(readText(" ".repeat(1024 * 1024 + 1))).toEqual({ mistakes: ["the file: is larger than 1024 KiB."] });
});

test("a broken address list is told with its line, and leaves that name one file share its list", () => {
  writeFileSync(path.join(folder, "broken.txt"), `${guest}\n0x5fbdb2315678afecb367f032d93f642f64180aA3\n`);
  expect(mistakesOfLeaf({ addressesFile: "broken.txt" })).toEqual([
    expect.stringMatching(/^keys\[0\]\.also\.any\[0\]\.addressesFile: line 2 must be an address/),
  ]);
  writeFileSync(path.join(folder, "shared.txt"), "");
  const also = { any: [{ addressesFile: "shared.txt" }, { not: { addressesFile: "./shared.txt" } }] };
  expect(readGood({ chains: { 1: {} }, keys: [token({ also })] }).addressLists).toHaveLength(1);
});
