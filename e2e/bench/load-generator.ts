import { Pool } from "undici";
import { originOf } from "./http-requests";
import type { RequestParts } from "./http-requests";

export type Load = {
  port: number;
  /** Sent in this order, and again from the start if `count` is larger. */
  requests: readonly RequestParts[];
  count: number;
  /** Every response must contain it, so no side wins by sending something else. */
  holds: string;
};

const connections = 8;
/** Ends a round early on a slow machine. */
const maxMs = 30_000;

/** A closed loop: each connection sends its next request once the last response is complete. */
export async function generateLoad({ port, requests, count, holds }: Load) {
  const pool = new Pool(originOf({ port }), { connections });
  const bodies: string[] = [];
  const began = performance.now();
  let next = 0;
  async function drive(): Promise<void> {
    while (next < count && performance.now() - began < maxMs) {
      const { method, path, headers, json } = requests[next++ % requests.length]!;
      const content = json === undefined ? {} : { "Content-Type": "application/json" };
      const response = await pool.request({
        method,
        path,
        headers: { Accept: "application/json", ...content, ...headers },
        body: json === undefined ? null : JSON.stringify(json),
      });
      const body = await response.body.text();
      if (response.statusCode !== 200 || !body.includes(holds))
        throw new Error(`${method} ${path} answered ${response.statusCode}: ${body.slice(0, 500)}`);
      bodies.push(body);
    }
  }
  try {
    await Promise.all(Array.from({ length: connections }, drive));
    return { ms: (performance.now() - began) / bodies.length, bodies };
  } finally {
    await pool.destroy();
  }
}
