import { startGateServer } from "./gate-server";
import type { GateServer } from "./gate-server";
import { test as base } from "./policy-check";
import { startRelayServer } from "./relay-server";
import type { RelayServer } from "./relay-server";

/** A relay, and a gate that offers WalletConnect over it. */
export type RelaySite = { relay: RelayServer; server: GateServer };

// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- Playwright wants the empty list.
export const test = base.extend<{}, { site: RelaySite }>({
  site: [
    // eslint-disable-next-line no-empty-pattern -- Playwright wants the braces.
    async ({}, use) => {
      const relay = await startRelayServer();
      const server = await startGateServer({
        mode: "production",
        env: { WALLETCONNECT_PROJECT_ID: "0".repeat(32), WALLETCONNECT_RELAY_URL: relay.url },
      });
      await use({ relay, server });
      await server.stop();
      await relay.close();
    },
    { scope: "worker", timeout: 60_000 },
  ],
  baseURL: async ({ site }, use) => use(site.server.baseUrl),
});
