import type { Address } from "viem";
import type { z } from "zod";
import { chainIdSchema, leafSchemas } from "./keys-file.schema";
import type { Mistakes, Place } from "./mistakes";
import { readShape } from "./mistakes";
import type { AddressList, Leaf, Requirement } from "../requirement";

const maxDepth = 5;
const maxLeaves = 50;

const leafTypes = Object.keys(leafSchemas) as (keyof typeof leafSchemas)[];
const nodeTypes = ["all", "any", "not", ...leafTypes] as const;
type NodeType = (typeof nodeTypes)[number];

type Reading = {
  mistakes: Mistakes;
  isListedChain: (chainId: number) => boolean;
  /** Null after adding a mistake. */
  openAddressList: (file: string, place: Place) => AddressList | null;
};

/** Null after adding mistakes. */
export function readRequirement(value: unknown, place: Place, reading: Reading): Requirement | null {
  const { mistakes } = reading;
  let leaves = 0;

  function read(node: unknown, at: Place, depth: number): Requirement | null {
    const type = findType(node, at, mistakes);
    if (type === null) return null;
    if (depth > maxDepth) {
      mistakes.add(at, `is more than ${maxDepth} levels deep in this requirement.`);
      return null;
    }
    const members = node as Record<string, unknown>;
    if (type !== "all" && type !== "any" && type !== "not") {
      leaves += 1;
      const leaf = readLeaf(type, members, { ...reading, place: at });
      return leaf && { type: "leaf", leaf };
    }
    for (const stray of Object.keys(members).filter((name) => name !== type)) {
      mistakes.add([...at, stray], `is not known beside \`${type}\`.`);
    }
    const inner = members[type];
    if (type === "not") {
      const of = read(inner, [...at, "not"], depth + 1);
      return of && { type, of };
    }
    if (!Array.isArray(inner) || inner.length === 0) {
      mistakes.add([...at, type], "must be a list of at least one requirement.");
      return null;
    }
    const of = inner.map((part, index) => read(part, [...at, type, index], depth + 1));
    return of.every((part) => part !== null) ? { type, of } : null;
  }

  const requirement = read(value, place, 1);
  if (leaves > maxLeaves) mistakes.add(place, `has ${leaves} leaves; at most ${maxLeaves} are possible.`);
  return leaves > maxLeaves ? null : requirement;
}

function findType(node: unknown, at: Place, mistakes: Mistakes): NodeType | null {
  if (typeof node !== "object" || node === null || Array.isArray(node)) {
    mistakes.add(at, node === undefined ? "is missing." : "must be an object.");
    return null;
  }
  const found = nodeTypes.filter((type) => Object.hasOwn(node, type));
  if (found.length === 1) return found[0]!;
  mistakes.add(
    at,
    found.length === 0
      ? `must have one of ${nodeTypes.join(", ")}.`
      : `has ${found.join(" and ")}; each needs an object of its own.`,
  );
  return null;
}

function readLeaf(
  type: keyof typeof leafSchemas,
  members: Record<string, unknown>,
  { place, mistakes, isListedChain, openAddressList }: Reading & { place: Place },
): Leaf | null {
  const written = readShape<z.output<(typeof leafSchemas)[typeof type]>>(leafSchemas[type], members, {
    place,
    mistakes,
  });
  const namedChain =
    "chainId" in leafSchemas[type].shape ? chainIdSchema.safeParse(members.chainId).data : undefined;
  const isElsewhere = namedChain !== undefined && !isListedChain(namedChain);
  if (isElsewhere) mistakes.add([...place, "chainId"], "is not listed in `chains`.");
  if (!written || isElsewhere) return null;
  const { label, secret, get } = written;
  const notes = { ...(label !== undefined && { label }), isSecret: secret ?? false, ...(get && { get }) };
  if ("addresses" in written) return { ...notes, type: "addresses", list: listOf(written.addresses) };
  if ("addressesFile" in written) {
    const list = openAddressList(written.addressesFile, [...place, "addressesFile"]);
    return list && { ...notes, type: "addresses", list };
  }
  const { chainId } = written;
  if ("unlock" in written) return { ...notes, type: "unlock", contract: lower(written.unlock), chainId };
  const counted = { ...notes, chainId, atLeast: BigInt(written.atLeast) };
  if ("native" in written) return { ...counted, type: "native" };
  if ("erc1155" in written) {
    const { erc1155, tokenId } = written;
    return { ...counted, type: "erc1155", contract: lower(erc1155), tokenId };
  }
  return "erc20" in written
    ? { ...counted, type: "erc20", contract: lower(written.erc20) }
    : { ...counted, type: "erc721", contract: lower(written.erc721) };
}

export function lower(address: Address): Address {
  return address.toLowerCase() as Address;
}

function listOf(addresses: readonly Address[]): AddressList {
  const known = new Set(addresses.map(lower));
  return { has: (address) => known.has(lower(address)) };
}
