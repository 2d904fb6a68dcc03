import { createRequire } from "node:module";
import { encodeFunctionData, parseEventLogs, zeroAddress } from "viem";
import type { Abi, Address, Hex } from "viem";
import type { TestChain } from "./chain";

const require = createRequire(import.meta.url);

type Compiled = { abi: Abi; bytecode: Hex };

function readCompiled(path: string): Compiled {
  return require(path) as Compiled;
}

/** Deploys the Unlock protocol's contracts and, through its factory, one real lock with free keys. */
export async function deployUnlockLock(chain: TestChain, keyDurationSeconds: number) {
  const unlock = readCompiled("@unlock-protocol/contracts/dist/abis/Unlock/UnlockV14.json");
  const lock = readCompiled("@unlock-protocol/contracts/dist/abis/PublicLock/PublicLockV15.json");
  const proxy = readCompiled("@openzeppelin/contracts/build/contracts/ERC1967Proxy.json");

  async function deploy({
    abi,
    bytecode,
    args = [],
  }: Compiled & { args?: readonly unknown[] }): Promise<Address> {
    const { contractAddress } = await chain.settle(
      await chain.walletOf(0).deployContract({ abi, bytecode, args }),
    );
    if (!contractAddress) throw new Error("A contract of the Unlock protocol was not deployed.");
    return contractAddress;
  }

  const template = await deploy(lock);
  const implementation = await deploy(unlock);
  // Unlock can only be initialised together with its proxy.
  const initialise = encodeFunctionData({
    ...unlock,
    functionName: "initialize",
    args: [chain.addressOf(0)],
  });
  const protocol = {
    address: await deploy({ ...proxy, args: [implementation, initialise] }),
    abi: unlock.abi,
  };
  await chain.send({ ...protocol, functionName: "addLockTemplate", args: [template, 15], from: 0 });
  await chain.send({ ...protocol, functionName: "setLockTemplate", args: [template], from: 0 });

  const lockTerms = encodeFunctionData({
    ...lock,
    functionName: "initialize",
    args: [chain.addressOf(0), BigInt(keyDurationSeconds), zeroAddress, 0n, 1_000n, "A real lock"],
  });
  const receipt = await chain.send({
    ...protocol,
    functionName: "createUpgradeableLockAtVersion",
    args: [lockTerms, 15],
    from: 0,
  });
  const [created] = parseEventLogs({ abi: unlock.abi, eventName: "NewLock", logs: receipt.logs });
  const { newLockAddress } = (created as unknown as { args: { newLockAddress: Address } }).args;
  const contract = { address: newLockAddress, abi: lock.abi };

  return {
    ...contract,
    /** Buys a key for an account. Ids count from 1. */
    async purchase(to: Address): Promise<string> {
      const args = [[0n], [to], [zeroAddress], [zeroAddress], ["0x"]];
      await chain.send({ ...contract, functionName: "purchase", args, from: 0 });
      return String(await chain.viewer.readContract({ ...contract, functionName: "totalSupply" }));
    },
  };
}
