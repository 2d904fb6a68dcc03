import { trace } from "@opentelemetry/api";
import type { RequestHandler } from "express";
import { contextOf } from "~/platform/http/create-context.server";
import type { Log } from "~/platform/log/log.server";
import type { Services } from "~/services.server";

const methodInNames = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/;

/** One log line and one measurement for each request, and the name of its trace. `route`: its pattern, since addresses may carry tokens. */
export function observeRequests({ metrics }: Services, log: Log): RequestHandler {
  return function observe(request, response, next) {
    const { requestId, clientId, method, route } = contextOf(response);
    const startedAt = performance.now();
    response.on("close", () => {
      const durationMs = Math.round((performance.now() - startedAt) * 10) / 10;
      const status = response.statusCode;
      const fields = { requestId, clientId, method, route, status, durationMs };
      log.info(response.writableFinished ? fields : { ...fields, cutOff: true }, "request");
      metrics.observeRequest({ route, method, status, durationSeconds: durationMs / 1000 });
    });
    trace
      .getActiveSpan()
      ?.updateName(`${methodInNames.test(method) ? method : "HTTP"} ${route}`)
      .setAttributes({ "http.route": route, "latchkey.request_id": requestId });
    next();
  };
}
