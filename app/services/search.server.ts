import type { Config } from "~/platform/config/config.server";
import type { Log } from "~/platform/log.server";
import { createKnowledgeSearch } from "~/search/knowledge-search.server";
import { createSearchTool } from "~/tools/search-tool";
import type { Tool } from "~/tools/tool";

export type SearchServices = { tool: Tool };

export function wireSearch({ config, log }: { config: Config; log: Log }): SearchServices {
  const search = createKnowledgeSearch({
    contentDir: config.serving.contentDir,
    warn: (message, error) => log.warn({ err: error }, message),
  });
  return { tool: createSearchTool({ name: "libsql_search", search }) };
}
