import type { ApiDocument } from "./read-operations";

/**
 * The description as the page offers it for trying. Calls go to the origin that the page came from. The browser adds the
 * session's cookie by itself, so there is nothing to fill in for it. A token in an address ends up in logs and histories,
 * so the page offers no field for one.
 */
export function toInteractive(document: ApiDocument, origin: string): ApiDocument {
  const { sessionCookie: _cookie, ...securitySchemes } = document.components.securitySchemes;
  const paths = Object.entries(document.paths).map(([path, methods]) => [
    path,
    Object.fromEntries(
      Object.entries(methods).map(([method, operation]) => [
        method,
        {
          ...operation,
          parameters: operation.parameters?.filter(({ name }) => name !== "jwt"),
          security: operation.security.filter((way) => !Object.hasOwn(way, "sessionCookie")),
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
