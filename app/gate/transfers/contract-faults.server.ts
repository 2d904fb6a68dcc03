import type { Address } from "viem";
import { getChainClient } from "~/platform/chain/chain-clients.server";
import type { ChainClients } from "~/platform/chain/chain-clients.server";
import type { ChainClient } from "~/platform/chain/chain-client.server";
import type { Clock } from "~/platform/time/clock";
import { Refusal } from "~/platform/refusals/refusal";
import type { KeyKind } from "../kinds/kind";
import { placeLeaves } from "../kinds/requirement-leaves";
import type { PlacedLeaf } from "../kinds/requirement-leaves";
import { checkContracts } from "./contract-check.gateway.server";
import type { CheckedContract, CheckedForm } from "./contract-check.gateway.server";

/** Contracts do not come and go: what was found whole is not asked about with every probe of readiness. */
const wholeForMs = 60_000;
/** Anybody may ask whether the service is ready, and no loop of theirs makes calls without end. */
const faultyForMs = 5_000;
const maxFaultsNamed = 5;
const secretLeafOf = "A secret leaf of";

type Check = CheckedContract & { chainId: number; name: string };

/** A sentence for the operator, or null. Throws chain-unavailable when the chain cannot be asked. */
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

/**
 * The same for every contract that the kinds name, their leaves included. A chain that cannot be asked is no fault of
 * a contract.
 */
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

/** For everybody: what a secret leaf's contract does not answer would tell what the leaf asks for. */
export function hideSecretFaults(faults: string): string {
  return faults.replaceAll(
    new RegExp(`(${secretLeafOf} [a-z0-9-]+: its contract) [^.]+`, "g"),
    "$1 cannot be asked",
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

/** Of a secret leaf is told whose it is, and not which address it asks about. */
function checkLeaf(kindName: string, { leaf, place }: PlacedLeaf): Check[] {
  if (leaf.type === "native" || leaf.type === "addresses") return [];
  const { contract: contractAddress, chainId, isSecret } = leaf;
  const name = isSecret
    ? `${secretLeafOf} ${kindName}: its contract`
    : `${place} of ${kindName}: ${describeContract(contractAddress, chainId, "the")}`;
  return [{ contractAddress, form: leafForms[leaf.type], chainId, name }];
}

const leafForms: Readonly<Record<"erc20" | "erc721" | "erc1155" | "unlock", CheckedForm>> = {
  erc20: "balance",
  erc721: "balance",
  erc1155: "balance-of-id",
  unlock: "membership-of",
};

function describeContract(address: Address, chainId: number, article: "The" | "the" = "The"): string {
  return `${article} contract at ${address} on chain ${chainId}`;
}

function groupByChain(checks: readonly Check[]): [chainId: number, Check[]][] {
  const chainIds = [...new Set(checks.map(({ chainId }) => chainId))];
  return chainIds.map((chainId) => [chainId, checks.filter((check) => check.chainId === chainId)]);
}
