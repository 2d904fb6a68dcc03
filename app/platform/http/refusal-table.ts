import { clientRows } from "./refusal-rows";
import type { RefusalEntry } from "./refusal-rows";
import { serverRows } from "./server-refusal-rows";

export type { RefusalEntry } from "./refusal-rows";
const rowsByStatus = { ...clientRows, ...serverRows };
type Rows = typeof rowsByStatus;
export type RefusalName = { [Status in keyof Rows]: keyof Rows[Status] }[keyof Rows];

/** Every refusal there is: HTTP answers, the OpenAPI document and the pages at /problems/<slug> are made from it. */
export const refusalTable = Object.fromEntries(
  Object.entries(rowsByStatus).flatMap(([status, rows]) =>
    Object.entries(rows).map(([name, row]) => [name, { slug: name, status: Number(status), ...row }]),
  ),
) as Record<RefusalName, RefusalEntry>;
