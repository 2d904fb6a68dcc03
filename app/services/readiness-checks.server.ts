import { findDatabaseFault } from "~/platform/database/database.server";
import type { Database } from "~/platform/database/database.server";
import type { KeyKind } from "~/gate/kinds/kind";
import { placeLeaves } from "~/gate/kinds/requirement";
import { hideSecretFaults } from "~/gate/transfers/contract-faults.server";
import { findBlock } from "../gate/transfers/key-transfers.gateway.server";
import { getChainClient } from "~/platform/chain/chain-clients.server";
import type { ChainClient } from "~/platform/chain/chain-client.server";
import type { ChainClients } from "~/platform/chain/chain-clients.server";
import type { Readiness, ReadinessCheck } from "~/platform/instance/readiness.server";
import type { ProviderPing } from "~/platform/providers/provider-row";
import type { Redis } from "~/platform/redis/redis.server";
import type { GateServices } from "~/gate/create-gate.server";

const databasePingMs = 2000;

type Checks = Record<string, ReadinessCheck>;

type Dependencies = {
  database: Database;
  redis: Pick<Redis, "findFault"> | null;
  clients: ChainClients;
  gate: Pick<GateServices, "areKindsNamed" | "findContractFault" | "watcherAges" | "chainIds">;
  chat: { pingProvider: ProviderPing | null };
  speech: { pingProvider: ProviderPing | null };
};

export function listChecks(dependencies: Dependencies): Checks {
  const { database, redis, gate, chat, speech } = dependencies;
  return {
    database: {
      required: true,
      ask: () => findDatabaseFault(database, databasePingMs),
      whenDown: "The database in DATABASE_URL is unreachable.",
    },
    // Without it nobody signs in, and nothing counted is served.
    ...(redis && {
      redis: { required: true, ask: redis.findFault, whenDown: "Redis is unreachable." },
    }),
    ...(gate.areKindsNamed ? checkChains(dependencies) : checkOneContract(dependencies)),
    ...checkWatchers(dependencies),
    ...(chat.pingProvider && {
      provider: {
        required: false,
        ask: chat.pingProvider,
        whenDown: "The model provider did not answer in time.",
      },
    }),
    ...(speech.pingProvider && {
      speech: {
        required: false,
        ask: speech.pingProvider,
        whenDown: "The provider of speech did not answer in time.",
      },
    }),
  };
}

function checkOneContract({ gate }: Dependencies): Checks {
  return {
    chain: {
      required: true,
      ask: gate.findContractFault,
      whenDown: "No RPC endpoint of the configured chain answered.",
    },
  };
}

/** If one of several chains or contracts fails, other kinds of keys still work. */
function checkChains({ gate, clients }: Dependencies): Checks {
  const asked = gate.chainIds.map((chainId) => {
    const client = getChainClient(clients, chainId);
    return { chainId, ask: askOnceAtATime(() => requireBlock(client)) };
  });
  const each = asked.map(({ chainId, ask }): [string, ReadinessCheck] => [
    `chain:${chainId}`,
    {
      required: false,
      ask,
      whenDown: `No RPC endpoint of chain ${chainId} answered.`,
    },
  ]);
  return {
    chain: {
      required: true,
      ask: () => Promise.any(asked.map(({ ask }) => ask())),
      whenDown: "No RPC endpoint of any configured chain answered.",
    },
    ...(each.length > 1 && Object.fromEntries(each)),
    keys: {
      required: false,
      ask: gate.findContractFault,
      whenDown: "The contracts of the keys could not be read.",
    },
  };
}

/** Requests go on to read the chains themselves. */
function checkWatchers({ gate }: Dependencies): Checks {
  return Object.fromEntries(
    gate.watcherAges.map(({ chainId, judge }): [string, ReadinessCheck] => [
      chainId === undefined ? "watcher" : `watcher:${chainId}`,
      {
        required: false,
        ask: judge,
        whenDown: "The database did not say when the transfers of keys were last read.",
      },
    ]),
  );
}

/** For everybody: hides the chains that only secret leaves name, and their requirements. */
export function hideSecrets(readiness: Readiness, kinds: readonly KeyKind[]): Readiness {
  const leaves = kinds.flatMap(placeLeaves).flatMap(({ leaf }) => (leaf.type === "addresses" ? [] : [leaf]));
  const told = new Set([
    ...kinds.map(({ chainId }) => chainId),
    ...leaves.flatMap(({ isSecret, chainId }) => (isSecret ? [] : [chainId])),
  ]);
  const secret = new Set(leaves.map(({ chainId }) => chainId).filter((chainId) => !told.has(chainId)));
  const shown = Object.entries(readiness.dependencies)
    .filter(([name]) => !secret.has(Number(name.split(":")[1])))
    .map(([name, state]) => {
      const { detail } = state;
      return [name, detail === undefined ? state : { ...state, detail: hideSecretFaults(detail) }] as const;
    });
  return { ...readiness, dependencies: Object.fromEntries(shown) };
}

async function requireBlock(client: ChainClient): Promise<null> {
  if (await findBlock({ client })) return null;
  throw new Error("The chain has no newest block.");
}

function askOnceAtATime<T>(ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | undefined;
  return () => (asked ??= ask().finally(() => (asked = undefined)));
}
