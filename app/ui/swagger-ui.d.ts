declare module "swagger-ui-dist/swagger-ui-es-bundle.js" {
  type SwaggerOptions = {
    domNode: Element;
    spec: object;
    docExpansion?: "list" | "full" | "none";
    defaultModelsExpandDepth?: number;
    displayRequestDuration?: boolean;
    deepLinking?: boolean;
    /** An address that checks documents; null asks nobody. */
    validatorUrl?: string | null;
    onComplete?: () => void;
  };
  // The shape is the package's own.
  // eslint-disable-next-line import-x/no-default-export
  export default function showSwaggerUi(options: SwaggerOptions): unknown;
}
