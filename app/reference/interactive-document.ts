import type { ApiDocument } from "./read-operations";

/** Calls go to the page's origin. Offers only the Authorization header, because secrets in addresses end up in logs. */
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
