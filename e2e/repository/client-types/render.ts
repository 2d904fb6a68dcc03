import openapiTS, { astToString } from "openapi-typescript";
import { format, resolveConfig } from "prettier";
import { createSettingReader } from "~/platform/config/setting-reader";
import { limitSettings } from "~/platform/limits/limits.settings";
import { buildApiDocument } from "~/services/api-description.server";

export const clientTypesFile = "app/api-client/api-types.ts";

const heading = `/* eslint-disable -- Generated from the API description by \`npm run client:types\`; never edited. */
`;

/** The types of every operation, the demo's included, as the description of a gate in its default settings has them. */
export async function renderClientTypes(): Promise<string> {
  const document = buildApiDocument({
    origin: "https://gate.example",
    limits: createSettingReader({}).read(limitSettings),
    isDemo: true,
  });
  const types = await openapiTS(JSON.stringify(document), { exportType: true });
  const options = await resolveConfig(clientTypesFile);
  return format(`${heading}${astToString(types)}`, { ...options, parser: "typescript" });
}
