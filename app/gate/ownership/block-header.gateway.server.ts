import { numberToHex } from "viem";
import { isChainOutage, readBlockHeader } from "~/platform/chain/chain-client.server";
import type { ChainClient } from "~/platform/chain/chain-client.server";
import type { SeenBlock } from "~/platform/chain/seen-block";
import { chainUnavailable } from "~/platform/refusals/refusal";

/**
 * By the header: on some chains a contract sees another block number than the header bears. Unless a block is given,
 * the newest one, which is not older than one already known.
 */
export async function readHeader(client: ChainClient, block?: bigint): Promise<SeenBlock> {
  const params = [block === undefined ? "latest" : numberToHex(block), false];
  try {
    const header = await client.ask({ method: "eth_getBlockByNumber", params, mustBeNewest: true });
    const found = readBlockHeader(header);
    if (found) return found;
  } catch (error) {
    throw isChainOutage(error) ? chainUnavailable(error) : error;
  }
  throw chainUnavailable(new Error("The endpoint does not have the block that was asked for."));
}
