import { getServiceWorkerOperation } from "~/platform/brand/brand.openapi";
import { textResponse } from "~/platform/http/responses.server";
import { defineRoute } from "~/platform/http/route.server";
import { writeOfflineWorker, writeRetiringWorker } from "~/platform/brand/worker-script";
import { getServices } from "~/services.server";
import { pageFaces } from "~/ui/typefaces";
import stylesheetHref from "~/ui/styles/ui.css";

export const { loader, action } = defineRoute({
  GET: {
    operation: getServiceWorkerOperation,
    handle: () => {
      const { brand: opened, buildVersion } = getServices();
      const { brand, version } = opened;
      const pictures = [brand.stylesheetHref, brand.logo?.href, brand.favicon.href];
      const text = brand.hasOfflinePage
        ? writeOfflineWorker({
            version: `${buildVersion}-${version}`,
            page: "/offline",
            files: [stylesheetHref, ...pageFaces, ...pictures.filter((href) => typeof href === "string")],
          })
        : writeRetiringWorker();
      return textResponse({
        text,
        contentType: "text/javascript; charset=utf-8",
        headers: {
          "Cache-Control": "no-cache",
          // A worker has its own policy.
          "Content-Security-Policy": "default-src 'none'; connect-src 'self'",
        },
      });
    },
  },
});
