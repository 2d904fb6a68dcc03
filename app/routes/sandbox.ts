import { getSandboxOperation } from "~/content/content.openapi";
import { textResponse } from "~/platform/http/responses.server";
import { defineRoute } from "~/platform/http/route.server";
import { sandboxDocument } from "~/content/sandbox.server";

export const { loader, action } = defineRoute({
  GET: {
    operation: getSandboxOperation,
    handle: () => {
      const { html, headers } = sandboxDocument();
      return textResponse({ text: html, contentType: "text/html; charset=utf-8", headers });
    },
  },
});
