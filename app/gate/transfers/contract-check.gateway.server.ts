import type { Address } from "viem";
import type { ChainClient } from "~/platform/chain/chain-client.server";
import { caller, maxReadsInProbe } from "../ownership/chain-probe.gateway.server";
import type { Answer, Read } from "../ownership/reads/chain-answers";
import type { TokenContract } from "./key-transfers.gateway.server";
import { askChain } from "../ownership/chain-reads.gateway.server";
import { makeRead } from "../ownership/reads/read";

/** Of a leaf is checked that its contract answers what it is asked about every wallet. */
export type CheckedForm = TokenContract["standard"] | "balance" | "balance-of-id" | "membership-of";
export type CheckedContract = { contractAddress: Address; form: CheckedForm };

const nobody = BigInt(caller);
/** What every contract of the form answers or, of a key that there is not, reverts. */
const essential = {
  erc721: (contract) => makeRead(contract, "ownerOf(uint256)", [0n]),
  erc4907: (contract) => makeRead(contract, "ownerOf(uint256)", [0n]),
  erc1155: (contract) => makeRead(contract, "balanceOf(address,uint256)", [nobody, 0n]),
  unlock: (contract) => makeRead(contract, "isValidKey(uint256)", [0n]),
  balance: (contract) => makeRead(contract, "balanceOf(address)", [nobody]),
  "balance-of-id": (contract) => makeRead(contract, "balanceOf(address,uint256)", [nobody, 0n]),
  "membership-of": (contract) => makeRead(contract, "getHasValidKey(address)", [nobody]),
} satisfies Record<CheckedForm, (contract: Address) => Read>;
/** ERC-165 names of the standards. */
const interfaces = {
  erc721: { id: 0x80ac58cdn, name: "ERC-721" },
  erc1155: { id: 0xd9b67a26n, name: "ERC-1155" },
  erc4907: { id: 0xad092b5cn, name: "ERC-4907" },
};
type Interface = keyof typeof interfaces;
/** What a contract is asked about itself, the one it has to say yes to first. */
const asked: Readonly<Partial<Record<CheckedForm, readonly Interface[]>>> = {
  erc721: ["erc721", "erc1155"],
  erc1155: ["erc1155", "erc721"],
  erc4907: ["erc4907", "erc721"],
};

const askedOfLeaves: Readonly<Partial<Record<CheckedForm, string>>> = {
  balance: "balanceOf(address)",
  "balance-of-id": "balanceOf(address,uint256)",
  "membership-of": "getHasValidKey(address)",
};

/** For each contract what is wrong with it, to follow its name, or null. A wrong standard would deny every holder. */
export async function checkContracts(
  client: ChainClient,
  contracts: readonly CheckedContract[],
): Promise<(string | null)[]> {
  const reads = contracts.map(listReads);
  const answers = await readAll(client, reads.flat());
  let start = 0;
  return contracts.map(({ form }, index) =>
    judge(form, answers.slice(start, (start += reads[index]!.length))),
  );
}

/** In as few calls as there can be. */
async function readAll(client: ChainClient, reads: readonly Read[]): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let start = 0; start < reads.length; start += maxReadsInProbe) {
    const group = reads.slice(start, start + maxReadsInProbe);
    answers.push(...(await askChain({ client, reads: group })).answers);
  }
  return answers;
}

function listReads({ contractAddress, form }: CheckedContract): Read[] {
  // In the high bytes of a word.
  const ids = (asked[form] ?? []).map((one) => interfaces[one].id << 224n);
  return [
    essential[form](contractAddress),
    ...ids.map((id) => ({
      ...makeRead(contractAddress, "supportsInterface(bytes4)", [id]),
      isOptional: true,
    })),
  ];
}

function judge(form: CheckedForm, [first, ...said]: readonly Answer[]): string | null {
  if (!first?.hasCode) return "does not exist";
  const question = askedOfLeaves[form];
  if (question) return first.success && first.size >= 32n ? null : `does not answer ${question}`;
  if (form === "unlock") return isTruthValue(first) ? null : "is no Unlock lock";
  const wanted = asked[form]?.[0];
  // A contract without ERC-165 may still be of the right standard.
  if (!wanted || !said.every(isTruthValue) || said[0]?.word === 1n) return null;
  return `is not an ${interfaces[wanted].name} contract`;
}

const isTruthValue = ({ success, size, word }: Answer) => success && size >= 32n && word <= 1n;
