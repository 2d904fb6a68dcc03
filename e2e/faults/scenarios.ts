import { scenario as chainLying } from "./chain-lying";
import { scenario as clockJumps } from "./clock-jumps";
import { scenario as manyClients } from "./many-clients";
import { scenario as providerHanging } from "./provider-hanging";
import { scenario as slowClients } from "./slow-clients";
import { scenario as soak } from "./soak";
import type { Scenario } from "./scenario";

/** In the order they are played. */
export const scenarios: readonly Scenario[] = [
  chainLying,
  clockJumps,
  providerHanging,
  slowClients,
  manyClients,
  soak,
];
