import { scenario as chainLying } from "./chain-lying";
import { scenario as clockJumps } from "./clock-jumps";
import { scenario as providerHanging } from "./provider-hanging";
import { scenario as slowClients } from "./slow-clients";
import type { Scenario } from "./scenario";

/** In the order they are played. */
export const scenarios: readonly Scenario[] = [chainLying, clockJumps, providerHanging, slowClients];
