import { stringToHex } from "viem";
import type { Abi, Address, Hex } from "viem";
import type { Leaf, Requirement } from "~/gate/kinds/requirement";
import { delegateRegistry } from "~/gate/ownership/reads/part-reads";
import type { TestChain } from "./chain";

export type Contract = { address: Address; abi: Abi };

type GivenLeaf = Leaf extends infer L ? (L extends Leaf ? Omit<L, "isSecret"> : never) : never;

export function makeLeaf(given: GivenLeaf): Requirement {
  return { type: "leaf", leaf: { isSecret: false, ...given } as Leaf };
}

/** Mints base units of a `Coin` or a `CoinWithoutDecimals` for an account. */
export async function mintCoins(
  chain: TestChain,
  coin: Contract,
  { to, amount }: { to: Address; amount: bigint },
) {
  await chain.send({ ...coin, functionName: "mint", args: [to, amount], from: 0 });
}

export async function deployCoin(chain: TestChain, decimals: number): Promise<Contract> {
  return await chain.deploy({ contractName: "Coin", args: ["Coin", "COIN", decimals] });
}

/** Keys by ERC-4907. The chain's `mintKey(account, contract)` mints one. */
export async function deployRentableKey(chain: TestChain) {
  const contract = await chain.deploy({ contractName: "RentableKey" });
  return {
    ...contract,
    /** The owner rents the key out. The user has it up to and including that second. */
    rent: (rental: { from: number; tokenId: string; user: Address; expiresAtSeconds: bigint }) => {
      const args = [BigInt(rental.tokenId), rental.user, rental.expiresAtSeconds];
      return chain.send({ ...contract, functionName: "setUser", args, from: rental.from });
    },
  };
}

const noRight: Hex = stringToHex("", { size: 32 });
export const latchkeyRight: Hex = stringToHex("latchkey", { size: 32 });

type Delegation = { from: number; to: Address; rights?: Hex; isEnabled?: boolean };
type KeyOfContract = { contract: Address; tokenId: string };

/** The delegate registry at its real address. */
export async function placeDelegateRegistry(
  chain: Pick<TestChain, "deploy" | "viewer" | "control" | "send">,
) {
  const { address, abi } = await chain.deploy({ contractName: "DelegateRegistry" });
  const bytecode = await chain.viewer.getCode({ address });
  await chain.control.setCode({ address: delegateRegistry, bytecode: bytecode! });
  const call = (functionName: string, from: number, args: readonly unknown[]) =>
    chain.send({ address: delegateRegistry, abi, functionName, args, from });

  return {
    delegateAll: ({ from, to, rights = noRight, isEnabled = true }: Delegation) =>
      call("delegateAll", from, [to, rights, isEnabled]),
    delegateContract: (given: Delegation & { contract: Address }) => {
      const { from, to, contract, rights = noRight, isEnabled = true } = given;
      return call("delegateContract", from, [to, contract, rights, isEnabled]);
    },
    delegateERC721: (given: Delegation & KeyOfContract) => {
      const { from, to, contract, tokenId, rights = noRight, isEnabled = true } = given;
      return call("delegateERC721", from, [to, contract, BigInt(tokenId), rights, isEnabled]);
    },
    delegateERC1155: (given: Omit<Delegation, "isEnabled"> & KeyOfContract & { amount: bigint }) => {
      const { from, to, contract, tokenId, rights = noRight, amount } = given;
      return call("delegateERC1155", from, [to, contract, BigInt(tokenId), rights, amount]);
    },
  };
}
