import type { ApiDocument } from "./read-operations";

/**
 * The description as the page offers it for trying. Calls go to the origin that the page came from. The browser adds
 * cookies by itself, and a secret in an address ends up in logs and histories, so only the Authorization header is
 * offered to fill in.
 */
export function toInteractive(document: ApiDocument, origin: string): ApiDocument {
  const securitySchemes = Object.fromEntries(
    Object.entries(document.components.securitySchemes).filter(([, { type }]) => type === "http"),
  );
  const isOffered = (way: object) => Object.keys(way).some((name) => Object.hasOwn(securitySchemes, name));
  const paths = Object.entries(document.paths).map(([path, methods]) => [
    path,
    Object.fromEntries(
      Object.entries(methods).map(([method, operation]) => [
        method,
        {
          ...operation,
          parameters: operation.parameters?.filter(({ name }) => name !== "jwt"),
          security: operation.security.filter(isOffered),
        },
      ]),
    ),
  ]);
  return {
    ...document,
    servers: [{ url: origin }],
    paths: Object.fromEntries(paths),
    components: { ...document.components, securitySchemes },
  };
}
