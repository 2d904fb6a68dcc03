import { buildPlanted, stockBuildDir, throughStockHandler } from "./planted-build";

/** The build in which the framework's own handler calls the resource routes, for a run of the API's tests. */
export async function setup(): Promise<() => Promise<void>> {
  const { remove } = await buildPlanted({ changes: [throughStockHandler], folder: stockBuildDir });
  return remove;
}
