import openapiTS, { astToString } from "openapi-typescript";
import { format, resolveConfig } from "prettier";
import { createSettingReader } from "~/platform/config/setting-reader";
import { readLimits } from "~/platform/limits/limits.settings";
import type { OpenApiDocument } from "~/platform/openapi/api-registry";
import { buildApiDocument } from "~/services/api-description.server";

export const clientTypesFile = "app/api-client/api-types.ts";

const heading = `/* eslint-disable -- Generated from the API description by \`npm run client:types\`; never edited. */
`;

/** The API of a gate in default settings with every operation, the demo's included. */
export function describeDefaultGate(): OpenApiDocument {
  return buildApiDocument({
    origin: "https://gate.example",
    limits: readLimits(createSettingReader({})),
    isDemo: true,
  });
}

export async function renderClientTypes(): Promise<string> {
  const types = await openapiTS(JSON.stringify(describeDefaultGate()), { exportType: true });
  const options = await resolveConfig(clientTypesFile);
  return format(`${heading}${astToString(types)}`, { ...options, parser: "typescript" });
}
