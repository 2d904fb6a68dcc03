import { beforeAll, expect, test } from "vitest";
import type { KeyKind } from "../../kinds/kind";
import { deployRentableKey } from "~e2e/support/chain/key-kinds";
import { makeKind } from "~e2e/support/key-kinds";
import { openTwoChains } from "~e2e/support/chain/two-chains";
import { createJudge } from "../judge.server";

const { first, makeClients } = await openTwoChains();
const { chain, rpc } = first;
const [owner, user, stranger] = [1, 2, 3].map((account) => chain.addressOf(account)) as [
  `0x${string}`,
  `0x${string}`,
  `0x${string}`,
];
const endpoints = ["none", "deployless-refused"] as const;

let rentable: Awaited<ReturnType<typeof deployRentableKey>>;
let kind: KeyKind;

beforeAll(async () => {
  rentable = await deployRentableKey(chain);
  kind = makeKind({ standard: "erc4907", chainId: chain.chainId, contract: rentable.address });
});

function openJudge() {
  return createJudge({ clientOf: makeClients(), confirmationsOf: () => 0, cacheSeconds: 0, clock: () => 0 });
}

async function findHolders(tokenId: string) {
  const judge = openJudge();
  const judged = [owner, user, stranger].map(async (signer) => {
    const { outcome, key } = await judge.judge({ kind, tokenId, signer, vault: null });
    return outcome === "met" ? "holds" : key?.reason;
  });
  return await Promise.all(judged);
}

test.each(endpoints)(
  "a rented key is the user's up to the last second, then the owner's again, at an endpoint that plays %s",
  async (fault) => {
    const tokenId = await chain.mintKey(1, rentable);
    rpc.setFault(fault);
    expect(await findHolders(tokenId)).toEqual(["holds", "not-owner", "not-owner"]);

    const { timestamp } = await chain.viewer.getBlock();
    const expiresAtSeconds = timestamp + 1_000n;
    await rentable.rent({ from: 1, tokenId, user, expiresAtSeconds });
    expect(await findHolders(tokenId)).toEqual(["not-owner", "holds", "not-owner"]);
    const snapshot = await chain.control.snapshot();
    await chain.control.setNextBlockTimestamp({ timestamp: expiresAtSeconds });
    await chain.control.mine({ blocks: 1 });
    expect(await findHolders(tokenId)).toEqual(["not-owner", "holds", "not-owner"]);
    await chain.control.setNextBlockTimestamp({ timestamp: expiresAtSeconds + 1n });
    await chain.control.mine({ blocks: 1 });
    expect(await findHolders(tokenId)).toEqual(["holds", "not-owner", "not-owner"]);
    await chain.control.revert({ id: snapshot });
  },
);

test("a rented key's owner is told as before, and a key never minted exists for nobody", async () => {
  const tokenId = await chain.mintKey(1, rentable);
  const { timestamp } = await chain.viewer.getBlock();
  await rentable.rent({ from: 1, tokenId, user, expiresAtSeconds: timestamp + 1_000n });

  expect(await openJudge().readOwner({ kind, tokenId })).toEqual({ exists: true, owner });
  expect(await openJudge().readOwner({ kind, tokenId: "404" })).toEqual({ exists: false, owner: null });
  expect(await findHolders("404")).toEqual(["does-not-exist", "does-not-exist", "does-not-exist"]);
});

test("owner, user and time are one call, shared by all who ask about the key", async () => {
  const tokenId = await chain.mintKey(1, rentable);
  rpc.posts.length = 0;
  await findHolders(tokenId);
  expect(rpc.posts.filter((method) => method !== "eth_chainId")).toEqual(["eth_call"]);
});

test("a contract without rentals that is read as one with them belongs to the owner", async () => {
  const tokenId = await chain.mintKey(1);
  const plain = makeKind({ standard: "erc4907", chainId: chain.chainId, contract: chain.key.address });
  const { outcome } = await openJudge().judge({ kind: plain, tokenId, signer: owner, vault: null });
  expect(outcome).toBe("met");
});

test.each(endpoints)(
  "erc1155: where the contract does not answer, who holds a key is unknown, at an endpoint that plays %s",
  async (fault) => {
    rpc.setFault(fault);
    const units = await chain.deploy({ contractName: "MultiKey" });
    const silent = await chain.deploy({ contractName: "Misbehaving", args: [0] });
    const judge = async ({ address }: typeof units) => {
      const kindOfUnits = makeKind({ standard: "erc1155", chainId: chain.chainId, contract: address });
      return await openJudge().judge({ kind: kindOfUnits, tokenId: "404", signer: owner, vault: null });
    };
    // Nobody owns this id.
    expect((await judge(units)).key).toEqual({ outcome: "unmet", reason: "not-owner" });
    const { outcome, key, cause } = await judge(silent);
    expect({ outcome, key }).toEqual({ outcome: "unknown", key: { outcome: "unknown", reason: null } });
    expect(String(cause)).toContain("does not answer balanceOf");
  },
);
