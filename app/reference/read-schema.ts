import type { SchemaNode } from "./reference";

/** The part of JSON Schema that OpenAPI 3.0 descriptions use. */
export type ApiSchema = {
  $ref?: string;
  type?: string;
  format?: string;
  description?: string;
  nullable?: boolean;
  enum?: unknown[];
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  items?: ApiSchema;
  properties?: Record<string, ApiSchema>;
  required?: string[];
  additionalProperties?: boolean | ApiSchema;
  oneOf?: ApiSchema[];
  anyOf?: ApiSchema[];
  allOf?: ApiSchema[];
};
export type ApiSchemas = Record<string, ApiSchema>;

type Reading = {
  schema: ApiSchema;
  schemas: ApiSchemas;
  name?: string;
  isRequired?: boolean;
  within?: string[];
};

/** A schema as a tree to read, its references followed; one that holds itself is followed once. */
export function readSchema({
  schema: given,
  schemas,
  name,
  isRequired = false,
  within = [],
}: Reading): SchemaNode {
  const { schema, refName } = follow(given, schemas);
  const isSeen = refName !== null && within.includes(refName);
  const inside = refName === null ? within : [...within, refName];
  const alternatives = schema.oneOf ?? schema.anyOf ?? [];
  const readChild = (child: Omit<Reading, "schemas" | "within">) =>
    readSchema({ ...child, schemas, within: inside });

  function readChildren(): SchemaNode[] {
    if (isSeen) return [];
    if (alternatives.length > 0) return alternatives.map((child) => readChild({ schema: child }));
    if (schema.items) {
      const item = readChild({ schema: schema.items });
      return item.type === "one of" ? [item] : item.children;
    }
    const own = Object.entries(schema.properties ?? {}).map(([key, child]) =>
      readChild({ schema: child, name: key, isRequired: schema.required?.includes(key) ?? false }),
    );
    const further =
      typeof schema.additionalProperties === "object"
        ? [readChild({ schema: schema.additionalProperties, name: "(any other name)" })]
        : [];
    return [...own, ...further];
  }

  return {
    name: name ?? null,
    type: nameType(schema, schemas),
    isRequired,
    description: given.description ?? schema.description ?? "",
    facts: listFacts(schema),
    children: readChildren(),
  };
}

function follow(
  schema: ApiSchema,
  schemas: ApiSchemas,
): {
  schema: ApiSchema;
  refName: string | null;
} {
  if (schema.$ref) {
    const refName = schema.$ref.split("/").at(-1)!;
    const target = schemas[refName];
    if (!target) throw new Error(`The description has no schema ${refName}.`);
    return { schema: follow(target, schemas).schema, refName };
  }
  if (!schema.allOf) return { schema, refName: null };
  const parts = schema.allOf.map((part) => follow(part, schemas).schema);
  const merged = [...parts, schema].reduce<ApiSchema>(
    (whole, part) => ({
      ...whole,
      ...part,
      properties: { ...whole.properties, ...part.properties },
      required: [...(whole.required ?? []), ...(part.required ?? [])],
    }),
    {},
  );
  return { schema: merged, refName: null };
}

function nameType(schema: ApiSchema, schemas: ApiSchemas): string {
  if (schema.oneOf ?? schema.anyOf) return "one of";
  if (schema.type === "array" && schema.items) {
    const { schema: item } = follow(schema.items, schemas);
    return `list of ${item.type ?? "values"}`;
  }
  return schema.type ?? "anything";
}

function listFacts(schema: ApiSchema): string[] {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems } = schema;
  return [
    ...(schema.enum ? [schema.enum.map((value) => JSON.stringify(value)).join(" or ")] : []),
    ...(schema.format ? [schema.format] : []),
    ...describeRange({ least: minimum, most: maximum, unit: "" }),
    ...describeRange({ least: minLength, most: maxLength, unit: " characters" }),
    ...describeRange({ least: minItems, most: maxItems, unit: " entries" }),
    ...(schema.pattern ? [`matches ${schema.pattern}`] : []),
    ...(schema.nullable ? ["may be null"] : []),
  ];
}

function describeRange({ least, most, unit }: { least?: number; most?: number; unit: string }): string[] {
  if (least !== undefined && most !== undefined) {
    return [least === most ? `exactly ${least}${unit}` : `${least} to ${most}${unit}`];
  }
  if (least !== undefined) return [`at least ${least}${unit}`];
  return most === undefined ? [] : [`at most ${most}${unit}`];
}
