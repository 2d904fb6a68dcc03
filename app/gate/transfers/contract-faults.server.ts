import type { Address } from "viem";
import { getChainClient } from "~/platform/chain/chain-clients.server";
import type { ChainClients } from "~/platform/chain/chain-clients.server";
import type { ChainClient } from "~/platform/chain/chain-client.server";
import type { Clock } from "~/platform/time/clock";
import { Refusal } from "~/platform/refusals/refusal";
import type { KeyKind } from "../kinds/kind";
import { placeLeaves } from "../kinds/requirement";
import type { PlacedLeaf } from "../kinds/requirement";
import { caller } from "../ownership/chain-probe.gateway.server";
import { readInGroups } from "../ownership/chain-reads.gateway.server";
import { makeOptionalRead, makeRead } from "../ownership/reads/read";
import type { Read, ReadResult } from "../ownership/reads/read";

/** Contracts rarely change, so probes of readiness share a result. */
const wholeForMs = 60_000;
const faultyForMs = 5_000;
const maxFaultsNamed = 5;
const secretLeafOf = "A secret leaf of";

type Check = CheckedContract & { chainId: number; name: string };

/** A sentence for the operator, or null. Throws chain-unavailable. */
export async function findContractFault(
  client: ChainClient,
  { contract, standard }: Pick<KeyKind, "contract" | "standard">,
): Promise<string | null> {
  if (contract === null || standard === "membership") return null;
  const [fault] = await checkContracts(client, [{ contractAddress: contract, form: standard }]);
  if (!fault) return null;
  const settings = fault === "does not exist" ? "KEY_CONTRACT_ADDRESS and CHAIN_ID" : "KEY_STANDARD";
  return `${describeContract(contract, client.chain.id)} ${fault}. Check ${settings}.`;
}

/** The same for every contract of the kinds and their leaves. An unavailable chain is not a contract's fault. */
export function createContractFaults(kinds: readonly KeyKind[], clients: ChainClients, clock: Clock) {
  const chains = groupByChain(kinds.flatMap(listChecks)).map(([chainId, checks]) =>
    createChainFaults(getChainClient(clients, chainId), checks, clock),
  );

  return async function findFaults(): Promise<string | null> {
    const found = await Promise.all(chains.map((readFaults) => readFaults()));
    const faults = [...new Set(found.flat())];
    if (faults.length === 0) return null;
    const more = faults.length - maxFaultsNamed;
    return [...faults.slice(0, maxFaultsNamed), ...(more > 0 ? [`And ${more} more.`] : [])].join(" ");
  };
}

/** For the public: the failing call would reveal what a secret leaf requires. */
export function hideSecretFaults(faults: string): string {
  return faults.replaceAll(
    new RegExp(`(${secretLeafOf} [a-z0-9-]+: its contract) [^.]+`, "g"),
    "$1 is unusable",
  );
}

function createChainFaults(client: ChainClient, checks: readonly Check[], clock: Clock) {
  let known: readonly string[] = [];
  let knownUntilMs = -Infinity;

  return async function readFaults(): Promise<readonly string[]> {
    if (clock() < knownUntilMs) return known;
    const found = await checkContracts(client, checks).catch((error: unknown) => {
      if (error instanceof Refusal) return null;
      throw error;
    });
    const faults = checks.flatMap(({ name }, index) => (found?.[index] ? `${name} ${found[index]}.` : []));
    if (found) {
      known = faults;
      knownUntilMs = clock() + (faults.length === 0 ? wholeForMs : faultyForMs);
    }
    return faults;
  };
}

function listChecks(kind: KeyKind): Check[] {
  const { name, chainId, contract, standard } = kind;
  const ofLeaves = placeLeaves(kind).flatMap((leaf) => checkLeaf(name, leaf));
  if (contract === null || standard === "membership") return ofLeaves;
  const own = { chainId, contractAddress: contract, form: standard };
  return [{ ...own, name: `${name}: ${describeContract(contract, chainId, "the")}` }, ...ofLeaves];
}

/** Never names the address of a secret leaf. */
function checkLeaf(kindName: string, { leaf, place }: PlacedLeaf): Check[] {
  if (leaf.type === "native" || leaf.type === "addresses") return [];
  const { contract: contractAddress, chainId, isSecret } = leaf;
  const name = isSecret
    ? `${secretLeafOf} ${kindName}: its contract`
    : `${place} of ${kindName}: ${describeContract(contractAddress, chainId, "the")}`;
  return [{ contractAddress, form: leafForms[leaf.type], chainId, name }];
}

const leafForms = {
  erc20: "balance",
  erc721: "balance",
  erc1155: "balance-of-id",
  unlock: "membership-of",
} as const;

function describeContract(address: Address, chainId: number, article: "The" | "the" = "The"): string {
  return `${article} contract at ${address} on chain ${chainId}`;
}

function groupByChain(checks: readonly Check[]): [chainId: number, Check[]][] {
  const chainIds = [...new Set(checks.map(({ chainId }) => chainId))];
  return chainIds.map((chainId) => [chainId, checks.filter((check) => check.chainId === chainId)]);
}

const nobody = BigInt(caller);
/** A sound contract of the form returns a value or, for a key that doesn't exist, reverts. */
const essential = {
  erc721: (contract: Address) => makeRead(contract, "ownerOf(uint256)", [0n]),
  erc4907: (contract: Address) => makeRead(contract, "ownerOf(uint256)", [0n]),
  erc1155: (contract: Address) => makeRead(contract, "balanceOf(address,uint256)", [nobody, 0n]),
  unlock: (contract: Address) => makeRead(contract, "isValidKey(uint256)", [0n]),
  balance: (contract: Address) => makeRead(contract, "balanceOf(address)", [nobody]),
  "balance-of-id": (contract: Address) => makeRead(contract, "balanceOf(address,uint256)", [nobody, 0n]),
  "membership-of": (contract: Address) => makeRead(contract, "getHasValidKey(address)", [nobody]),
};
/** The standard of a key, or the call that a leaf makes. */
type CheckedForm = keyof typeof essential;
type CheckedContract = { contractAddress: Address; form: CheckedForm };
/** ERC-165 IDs. */
const interfaces = {
  erc721: { id: 0x80ac58cdn, name: "ERC-721" },
  erc1155: { id: 0xd9b67a26n, name: "ERC-1155" },
  erc4907: { id: 0xad092b5cn, name: "ERC-4907" },
};
type Interface = keyof typeof interfaces;
/** The interface that the contract must support, then one that it is likely to have instead. */
const askedInterfaces: Readonly<Partial<Record<CheckedForm, readonly Interface[]>>> = {
  erc721: ["erc721", "erc1155"],
  erc1155: ["erc1155", "erc721"],
  erc4907: ["erc4907", "erc721"],
};

const callsOfLeaves: Readonly<Partial<Record<CheckedForm, string>>> = {
  balance: "balanceOf(address)",
  "balance-of-id": "balanceOf(address,uint256)",
  "membership-of": "getHasValidKey(address)",
};

/** Each contract's fault, or null. A wrong standard would deny every holder. */
async function checkContracts(
  client: ChainClient,
  contracts: readonly CheckedContract[],
): Promise<(string | null)[]> {
  const reads = contracts.map(listReads);
  const results = await readInGroups({ client, reads: reads.flat() });
  let start = 0;
  return contracts.map(({ form }, index) =>
    judge(form, results.slice(start, (start += reads[index]!.length))),
  );
}

function listReads({ contractAddress, form }: CheckedContract): Read[] {
  // IDs are in the high bytes of a word.
  const ids = (askedInterfaces[form] ?? []).map((one) => interfaces[one].id << 224n);
  return [
    essential[form](contractAddress),
    ...ids.map((id) => makeOptionalRead(contractAddress, "supportsInterface(bytes4)", [id])),
  ];
}

function judge(form: CheckedForm, [first, ...supports]: readonly ReadResult[]): string | null {
  if (!first?.hasCode) return "does not exist";
  const question = callsOfLeaves[form];
  if (question) return first.success && first.size >= 32n ? null : `does not answer ${question}`;
  if (form === "unlock") return isBoolean(first) ? null : "is no Unlock lock";
  const wanted = askedInterfaces[form]?.[0];
  // A contract without ERC-165 may still be of the right standard.
  if (!wanted || !supports.every(isBoolean) || supports[0]?.word === 1n) return null;
  return `is not an ${interfaces[wanted].name} contract`;
}

const isBoolean = ({ success, size, word }: ReadResult) => success && size >= 32n && word <= 1n;
