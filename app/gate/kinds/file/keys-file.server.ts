import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import type { z } from "zod";
import { normalizeSite } from "~/platform/config/domains";
import { AddressListFault, openAddressList } from "./address-list.server";
import type { AddressListFile } from "./address-list.server";
import {
  chainIdSchema,
  fileChainSchema,
  keysFileSchema,
  membershipSchema,
  standardSchema,
  tokenKindSchema,
} from "./keys-file.schema";
import type { KeyKind, Opening } from "../kind";
import { createMistakes, readShape, findRepeatedMembers } from "./mistakes";
import type { Mistakes, Place } from "./mistakes";
import { lower, readRequirement } from "./requirement-file";
import type { Requirement } from "../requirement";

export type ChainEndpoints = { id: number; rpcUrls: readonly string[] };

export type KeysFile = {
  kinds: readonly KeyKind[];
  chains: readonly ChainEndpoints[];
  addressLists: readonly AddressListFile[];
};

const maxBytes = 1024 * 1024;
const notAChain = "must be named by the chain's number.";

/** The file, or all its mistakes with their places. No mistake contains a value. */
export function readKeysFile(
  file: string,
  /** From RPC_URL_<chainId>, by what is in place of the ID. */
  rpcUrls: ReadonlyMap<string, readonly string[] | null>,
): KeysFile | { mistakes: readonly string[] } {
  const mistakes = createMistakes();
  const read = readText(file, mistakes);
  const found = read === null ? null : readKinds(read, { folder: path.dirname(file), rpcUrls, mistakes });
  return found && mistakes.list.length === 0 ? found : { mistakes: mistakes.list };
}

function readText(file: string, mistakes: Mistakes): unknown {
  try {
    const found = statSync(file);
    if (!found.isFile()) throw new SyntaxError("is no file.");
    if (found.size > maxBytes) throw new SyntaxError(`is larger than ${maxBytes / 1024} KiB.`);
    const text = readFileSync(file, "utf8").replace(/^\uFEFF/, "");
    const value: unknown = parseJson(text);
    for (const place of findRepeatedMembers(text)) mistakes.add(place, "is there twice.");
    return value;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    mistakes.add([], code === undefined ? (error as Error).message : `cannot be read (${code}).`);
    return null;
  }
}

/** The parser's own message quotes the text, so it is dropped. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new SyntaxError("is not valid JSON.", { cause });
  }
}

type Surroundings = {
  folder: string;
  rpcUrls: ReadonlyMap<string, readonly string[] | null>;
  mistakes: Mistakes;
};

function readKinds(value: unknown, { folder, rpcUrls, mistakes }: Surroundings): KeysFile | null {
  readShape(keysFileSchema, value, { place: [], mistakes });
  if (!isObject(value)) return null;
  // Reads both in any case, to report every mistake at once.
  const writtenChains = isObject(value.chains) ? value.chains : null;
  const writtenKinds: readonly unknown[] = Array.isArray(value.keys) ? value.keys : [];
  const chains = writtenChains ? readChains(writtenChains, rpcUrls, mistakes) : [];
  const lists = createListOpener(folder, mistakes);
  const reading: KindReading = {
    mistakes,
    chainIds: writtenChains && Object.keys(writtenChains).map(Number),
    openAddressList: lists.open,
  };
  const kinds = writtenKinds.map((written, index) => readKind(written, ["keys", index], reading));
  const names = new Set<string>();
  for (const [index, written] of writtenKinds.entries()) {
    if (!isObject(written) || typeof written.name !== "string") continue;
    if (names.has(written.name)) mistakes.add(["keys", index, "name"], "is another kind's already.");
    names.add(written.name);
  }
  return { kinds: kinds.filter((kind) => kind !== null), chains, addressLists: lists.opened() };
}

function readChains(
  written: Record<string, unknown>,
  rpcUrls: Surroundings["rpcUrls"],
  mistakes: Mistakes,
): ChainEndpoints[] {
  const entries = Object.entries(written);
  if (entries.length === 0) mistakes.add(["chains"], "must list at least one chain.");
  for (const id of rpcUrls.keys()) {
    if (!Object.hasOwn(written, id)) mistakes.add(["chains"], `does not list the chain of RPC_URL_${id}.`);
  }
  return entries.flatMap(([id, entry]) => {
    const place = ["chains", id];
    if (!/^[1-9]\d{0,15}$/.test(id) || !Number.isSafeInteger(Number(id))) {
      mistakes.add(place, notAChain);
      return [];
    }
    const inFile = readShape(fileChainSchema, entry, { place, mistakes })?.rpcUrl;
    const isSet = rpcUrls.has(id);
    if (inFile && isSet) mistakes.add([...place, "rpcUrl"], `must not be there beside RPC_URL_${id}.`);
    const urls = inFile ?? rpcUrls.get(id) ?? [];
    if (urls.length === 0 && !isSet && isObject(entry)) {
      mistakes.add(place, `needs an RPC address: set RPC_URL_${id}.`);
    }
    return [{ id: Number(id), rpcUrls: urls }];
  });
}

type KindReading = {
  mistakes: Mistakes;
  /** Null if `chains` can't be read. */
  chainIds: readonly number[] | null;
  openAddressList: (file: string, place: Place) => AddressListFile | null;
};

function readKind(value: unknown, place: Place, reading: KindReading): KeyKind | null {
  const { mistakes, chainIds } = reading;
  if (!isObject(value)) {
    mistakes.add(place, "must be an object.");
    return null;
  }
  const isMembership = Object.hasOwn(value, "requires");
  const standard =
    readShape(standardSchema, value.standard, { place: [...place, "standard"], mistakes }) ??
    // Assume one, to report the other mistakes too.
    (isMembership ? "membership" : "erc721");
  const kind = { ...value, standard };
  const at = { place, mistakes };
  const isListedChain = (id: number) => chainIds === null || chainIds.includes(id);
  const requirementOf = (member: "also" | "requires"): Requirement | null =>
    readRequirement(value[member], [...place, member], { ...reading, isListedChain });
  requireChain(value.chainId, place, { mistakes, isListedChain });
  requireDifferent(value.opens, place, mistakes);
  if (standard === "membership") {
    const written = readShape(membershipSchema, kind, at);
    const requirement = requirementOf("requires");
    const chainId = written?.chainId ?? (chainIds?.length === 1 ? chainIds[0]! : null);
    if (written && chainId === null && chainIds !== null) {
      mistakes.add([...place, "chainId"], "is missing: the file has several chains.");
    }
    if (!written || chainId === null || !requirement) return null;
    const keptUnder = { chainId: 0, contractAddress: `membership:${written.name}` };
    return {
      ...toCommon(written),
      standard,
      chainId,
      contract: null,
      keptUnder,
      requirement,
    };
  }
  const written = readShape(tokenKindSchema, kind, at);
  const requirement = Object.hasOwn(value, "also") ? requirementOf("also") : null;
  if (!written) return null;
  const { chainId } = written;
  const contract = lower(written.contract);
  const keptUnder = { chainId, contractAddress: contract };
  return { ...toCommon(written), standard, chainId, contract, keptUnder, requirement };
}

/** The schema reports malformed IDs. */
function requireChain(
  written: unknown,
  place: Place,
  { mistakes, isListedChain }: { mistakes: Mistakes; isListedChain: (id: number) => boolean },
): void {
  const chainId = chainIdSchema.safeParse(written).data;
  if (chainId === undefined || isListedChain(chainId)) return;
  mistakes.add([...place, "chainId"], "is not listed in `chains`.");
}

function requireDifferent(opens: unknown, place: Place, mistakes: Mistakes): void {
  if (!Array.isArray(opens)) return;
  const openings = opens.map((one: unknown) => (typeof one === "string" ? toOpening(one) : null));
  for (const [index, opening] of openings.entries()) {
    if (opening === null || openings.indexOf(opening) === index) continue;
    mistakes.add([...place, "opens", index], "is there twice.");
  }
}

type WrittenKind = z.output<typeof tokenKindSchema> | z.output<typeof membershipSchema>;

function toCommon(written: WrittenKind) {
  const { name, title, delegation, delegatesMayUse, get } = written;
  const opens = written.opens.map(toOpening);
  return { name, title, delegation, delegatesMayUse, opens, ...(get && { get }) };
}

function toOpening(written: string): Opening {
  const host = written.startsWith("door:") ? normalizeSite(written.slice("door:".length)) : null;
  return host === null ? (written as Opening) : `door:${host}`;
}

/** Leaves that name the same file share a list. */
function createListOpener(folder: string, mistakes: Mistakes) {
  const lists = new Map<string, AddressListFile>();
  function open(written: string, place: Place): AddressListFile | null {
    const file = path.resolve(folder, written);
    try {
      const list = lists.get(file) ?? openAddressList(file);
      lists.set(file, list);
      return list;
    } catch (error) {
      if (!(error instanceof AddressListFault)) throw error;
      mistakes.add(place, error.message);
      return null;
    }
  }
  return { open, opened: () => [...lists.values()] };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
