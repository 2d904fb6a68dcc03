/// <reference types="@remix-run/dev" />
import "@remix-run/node";

declare module "@remix-run/node" {
  /** What is set in remix.config.js, for the types of what loaders return. */
  // eslint-disable-next-line @typescript-eslint/consistent-type-definitions -- only interfaces merge
  interface Future {
    v3_singleFetch: true;
  }
}
