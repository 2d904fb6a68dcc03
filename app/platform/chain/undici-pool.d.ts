/** The part of `undici` that sends, without its `fetch`, sockets and caches: a third of the time to load it. */
declare module "undici/lib/dispatcher/pool.js" {
  import { Pool } from "undici";
  export = Pool;
}
