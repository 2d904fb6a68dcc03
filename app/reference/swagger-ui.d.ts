/** Swagger UI has no types. */
declare module "swagger-ui-dist/swagger-ui-es-bundle.js" {
  import type * as React from "react";

  export type SwaggerMap = {
    get: (key: string) => unknown;
    getIn: (path: string[]) => unknown;
    setIn: (path: string[], value: unknown) => SwaggerMap;
  };
  export type SwaggerSystem = {
    React: typeof React;
    getComponent: (name: string, isContainer?: boolean) => React.ComponentType<Record<string, unknown>>;
    layoutActions: { updateFilter: (phrase: string) => void };
  };

  // eslint-disable-next-line import-x/no-default-export -- The package exports nothing else.
  export default function SwaggerUI(options: Record<string, unknown>): void;
}
