/** RFC 9728: the well-known part comes before the resource's own path. */
export function resourceMetadataUrl(origin: string, mcpPath: string): string {
  return `${origin}/.well-known/oauth-protected-resource${mcpPath}`;
}

/** No authorization server is named: tokens are made here, for a signature, at /api/gate-access. */
export function describeResource(origin: string, mcpPath: string) {
  return {
    resource: `${origin}${mcpPath}`,
    resource_name: "Latchkey tools",
    resource_documentation: `${origin}/docs`,
    bearer_methods_supported: ["header", "body", "query"],
    scopes_supported: ["tools"],
  };
}

/** `suffix`: what stood behind the well-known path; without one the same resource is meant, as clients fall back to it. */
export function isResourceSuffix(suffix: string, mcpPath: string): boolean {
  return suffix === "" || `/${suffix}` === mcpPath;
}
