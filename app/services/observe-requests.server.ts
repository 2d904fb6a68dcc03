import type { RequestHandler } from "express";
import { contextOf } from "~/platform/http/create-context.server";
import type { Log } from "~/platform/log.server";
import type { Services } from "~/services.server";

/** One log line and one measurement for each request, and its trace. `route`: its pattern, since addresses may carry tokens. */
export function observeRequests({ metrics, tracing }: Services, log: Log): RequestHandler {
  return function observe(request, response, next) {
    const { requestId, clientId, method, route, isFromTrustedProxy } = contextOf(response);
    const startedAt = performance.now();
    response.on("close", () => {
      const durationMs = Math.round((performance.now() - startedAt) * 10) / 10;
      const status = response.statusCode;
      const fields = { requestId, clientId, method, route, status, durationMs };
      log.info(response.writableFinished ? fields : { ...fields, cutOff: true }, "request");
      metrics.observeRequest({ route, method, status, durationSeconds: durationMs / 1000 });
    });
    if (!tracing) return next();
    // Only from a trusted proxy: strangers would choose what is traced, and under which id.
    const given = isFromTrustedProxy ? request.headers.traceparent : undefined;
    const traceParent = typeof given === "string" ? given : undefined;
    const traced = { requestId, method, route: route === "page" ? null : route, traceParent, response };
    tracing.runRequest(traced, next);
  };
}
