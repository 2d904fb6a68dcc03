/// <reference types="@remix-run/dev" />
import "@remix-run/node";

declare module "@remix-run/node" {
  /** As in remix.config.js. */
  // eslint-disable-next-line @typescript-eslint/consistent-type-definitions -- only interfaces merge
  interface Future {
    v3_singleFetch: true;
  }
}
