import { isChainOutage } from "~/platform/chain/chain-client.server";
import type { ChainClient } from "~/platform/chain/chain-client.server";
import { chainUnavailable } from "~/platform/http/refusal";
import type { BlockHeader } from "./judge";

/** By the header: on some chains a contract sees another block number than the header bears. Newest unless given. */
export async function readHeader(client: ChainClient, block?: bigint): Promise<BlockHeader> {
  try {
    return await client.getBlock(block === undefined ? { blockTag: "latest" } : { blockNumber: block });
  } catch (error) {
    throw isChainOutage(error) ? chainUnavailable(error) : error;
  }
}
