import type { PublicSettings } from "~/platform/public-settings";
import type { GateApi } from "./gate-api";
import type { GateEvent } from "./gate-flow";
import type { WalletSession } from "./wallet/wallet-session";

/** What every step of the flow works with. */
export type GateTools = {
  settings: PublicSettings;
  origin: string;
  api: GateApi;
  dispatch: (event: GateEvent) => void;
  /** A number greater than every one before; see `turn` in the state. */
  nextTurn: () => number;
  /** Loads the wallet code at the first call, and always answers with the same session. */
  openWallet: () => Promise<WalletSession>;
};
