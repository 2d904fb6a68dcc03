import { buildPlanted, stockBuildDir, throughStockHandler } from "./planted-build";

/** A build in which the framework's own handler calls the resource routes, for a run of the API tests. */
export async function setup(): Promise<() => Promise<void>> {
  const { remove } = await buildPlanted({ changes: [throughStockHandler], folder: stockBuildDir });
  return remove;
}
