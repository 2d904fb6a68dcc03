/** RFC 9728: the well-known part precedes the resource's path. */
export function resourceMetadataUrl(origin: string, mcpPath: string): string {
  return `${origin}/.well-known/oauth-protected-resource${mcpPath}`;
}

/** Names no authorization server: /api/gate-access issues tokens. */
export function describeResource(origin: string, mcpPath: string) {
  return {
    resource: `${origin}${mcpPath}`,
    resource_name: "Latchkey tools",
    resource_documentation: `${origin}/docs`,
    bearer_methods_supported: ["header", "body", "query"],
    scopes_supported: ["tools"],
  };
}

/** Clients fall back to the path without a suffix. */
export function isResourceSuffix(suffix: string, mcpPath: string): boolean {
  return suffix === "" || `/${suffix}` === mcpPath;
}
