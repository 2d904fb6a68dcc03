import { createChainClient } from "./chain-client.server";
import type { ChainClient, ChainClientOptions } from "./chain-client.server";
import type { EndpointFault, RpcRequestEnd } from "./rpc-endpoint.server";

type ChainEndpoints = { chainId: number; rpcUrls: readonly string[] };
/** By chain id, in the order configured. */
export type ChainClients = ReadonlyMap<number, ChainClient>;

/** `chainId` only if there are several chains. */
type OfChain = { chainId?: number };
export type ChainInstrument = {
  onAnswer: (end: RpcRequestEnd & OfChain) => void;
  onFault: (fault: EndpointFault & OfChain) => void;
};

type Options = Omit<ChainClientOptions, keyof ChainEndpoints | keyof ChainInstrument> & ChainInstrument;

export function createChainClients(chains: readonly ChainEndpoints[], options: Options): ChainClients {
  const { onAnswer, onFault, ...shared } = options;
  return new Map(
    chains.map(({ chainId, rpcUrls }) => {
      const of = chains.length > 1 ? { chainId } : {};
      const instrument: ChainInstrument = {
        onAnswer: chains.length > 1 ? (end) => onAnswer({ ...end, ...of }) : onAnswer,
        onFault: (fault) => onFault({ ...fault, ...of }),
      };
      return [chainId, createChainClient({ ...shared, chainId, rpcUrls, ...instrument })];
    }),
  );
}

/** The configuration ensures that every chain in use is configured. */
export function getChainClient(clients: ChainClients, chainId: number): ChainClient {
  const client = clients.get(chainId);
  if (!client) throw new Error(`Chain ${chainId} is not configured.`);
  return client;
}
