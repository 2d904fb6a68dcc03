import { createServer } from "node:http";
import type { Server } from "node:http";
import { Refusal } from "../refusals/refusal";
import { isSameSecret } from "../text/same-secret.server";

const metricsChallenge = 'Bearer realm="latchkey-metrics"';

/** Without a token the public address shows no metrics. */
export function requireMetricsToken(authorization: string | undefined, expected: string | null): void {
  if (expected === null) {
    throw new Refusal("not-found", {
      detail:
        "Metrics are off here. The operator can set METRICS_TOKEN, or METRICS_PORT for a port of their own.",
    });
  }
  if (!isSameSecret(authorization ?? "", `Bearer ${expected}`)) {
    throw new Refusal("authentication-failed", {
      detail: "Send the metrics token in the Authorization header, as Bearer token.",
      headers: { "WWW-Authenticate": metricsChallenge },
    });
  }
}

/** On a port of its own, for this machine only. */
export function createMetricsServer(render: () => Promise<{ body: string; contentType: string }>): Server {
  return createServer((request, response) => {
    if (request.url !== "/metrics" || request.method !== "GET") {
      response.writeHead(404).end();
      return;
    }
    render().then(
      ({ body, contentType }) => response.writeHead(200, { "Content-Type": contentType }).end(body),
      () => response.writeHead(500).end(),
    );
  });
}
