import type { OpenApiDocument } from "~/platform/openapi/api-registry";

export type ApiSchemas = NonNullable<NonNullable<OpenApiDocument["components"]>["schemas"]>;
/** As it stands in the description: itself, or a reference to one that is shared. */
export type ApiSchema = ApiSchemas[string];
type Schema = Exclude<ApiSchema, { $ref: string }>;

export type SchemaNode = {
  name: string | null;
  type: string;
  isRequired: boolean;
  description: string;
  /** Limits and formats in words. */
  facts: string[];
  children: SchemaNode[];
};

type Field = { schema: ApiSchema; name?: string; isRequired?: boolean };

/** A schema as a tree to read, its references followed; one that holds itself is followed once. */
export function readSchema(root: ApiSchema, schemas: ApiSchemas): SchemaNode {
  function read({ schema: given, name = "", isRequired = false }: Field, within: string[]): SchemaNode {
    const { schema, refName } = follow(given, schemas);
    const isSeen = refName !== null && within.includes(refName);
    const inside = refName === null ? within : [...within, refName];
    const fields = isSeen ? [] : listFields(schema).map((field) => read(field, inside));
    const isListOfOneKind = schema.items && fields[0]?.type !== "one of";
    return {
      name: name || null,
      type: nameType(schema, schemas),
      isRequired,
      description: schema.description ?? "",
      facts: listFacts(schema),
      children: isListOfOneKind ? (fields[0]?.children ?? []) : fields,
    };
  }
  return read({ schema: root }, []);
}

function listFields({ oneOf, anyOf, items, properties = {}, ...schema }: Schema): Field[] {
  const alternatives = oneOf ?? anyOf ?? (items ? [items] : []);
  if (alternatives.length > 0) return alternatives.map((alternative) => ({ schema: alternative }));
  const fields = Object.entries(properties).map(([name, property]) => ({
    schema: property,
    name,
    isRequired: schema.required?.includes(name) ?? false,
  }));
  if (typeof schema.additionalProperties !== "object") return fields;
  return [...fields, { schema: schema.additionalProperties, name: "(any other name)" }];
}

type Followed = { schema: Schema; refName: string | null };

function follow(schema: ApiSchema, schemas: ApiSchemas): Followed {
  if ("$ref" in schema) {
    const refName = schema.$ref.split("/").at(-1)!;
    const target = schemas[refName];
    if (!target) throw new Error(`The description has no schema ${refName}.`);
    return { schema: follow(target, schemas).schema, refName };
  }
  const parts = schema.allOf?.map((part) => follow(part, schemas).schema) ?? [];
  const merged = [...parts, schema].reduce((whole, part) => ({
    ...whole,
    ...part,
    properties: { ...whole.properties, ...part.properties },
    required: [...(whole.required ?? []), ...(part.required ?? [])],
  }));
  return { schema: merged, refName: null };
}

function nameType(schema: Schema, schemas: ApiSchemas): string {
  if (schema.oneOf ?? schema.anyOf) return "one of";
  if (schema.type !== "array" || !schema.items) return String(schema.type ?? "anything");
  return `list of ${follow(schema.items, schemas).schema.type ?? "values"}`;
}

function listFacts(schema: Schema): string[] {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems } = schema;
  return [
    schema.enum?.map((value) => JSON.stringify(value)).join(" or ") ?? "",
    schema.format ?? "",
    describeRange([minimum, maximum]),
    describeRange([minLength, maxLength], " characters"),
    describeRange([minItems, maxItems], " entries"),
    schema.pattern ? `matches ${schema.pattern}` : "",
    schema.nullable ? "may be null" : "",
  ].filter(Boolean);
}

function describeRange([least, most]: (number | undefined)[], unit = ""): string {
  if (least === undefined) return most === undefined ? "" : `at most ${most}${unit}`;
  if (most === undefined) return `at least ${least}${unit}`;
  return least === most ? `exactly ${least}${unit}` : `${least} to ${most}${unit}`;
}
