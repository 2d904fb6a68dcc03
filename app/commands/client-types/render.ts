import openapiTS, { astToString } from "openapi-typescript";
import { format, resolveConfig } from "prettier";
import type { Setting } from "~/platform/config/setting";
import { settings } from "~/platform/config/settings";
import type { RateLimits } from "~/platform/openapi/api-registry";
import { buildApiDocument } from "~/services/api-description.server";

export const clientTypesFile = "app/api-client/api-types.ts";

const heading = `/* eslint-disable -- Generated from the API description by \`npm run client:types\`; never edited. */
`;

/** The types of every operation, the demo's included, as the description of a gate in its default settings has them. */
export async function renderClientTypes(): Promise<string> {
  const document = buildApiDocument({
    origin: "https://gate.example",
    limits: defaultLimits(),
    isDemo: true,
  });
  const types = await openapiTS(JSON.stringify(document), { exportType: true });
  const options = await resolveConfig(clientTypesFile);
  return format(`${heading}${astToString(types)}`, { ...options, parser: "typescript" });
}

function defaultLimits(): RateLimits {
  const prefix = "RATE_LIMIT_";
  return Object.fromEntries(
    (settings as readonly Setting[]).flatMap(({ name, default: text }) => {
      const [, points, windowSeconds] = /^(\d+)\/(\d+)$/.exec(text ?? "") ?? [];
      if (!name.startsWith(prefix) || !points) return [];
      const limit = name.slice(prefix.length).toLowerCase().replaceAll("_", "-");
      return [[limit, { points: Number(points), windowSeconds: Number(windowSeconds) }]];
    }),
  );
}
