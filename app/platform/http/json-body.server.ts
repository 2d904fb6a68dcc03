import type { z } from "zod";
import { parseJson, requireJsonMediaType } from "./body.server";
import { Refusal } from "./refusal";
import type { RequestContext } from "./request-context.server";

/** Undefined where the request has no body. Throws the refusals of a body that is no JSON or too large. */
export async function readJsonBody({
  context,
  maxBytes,
}: {
  context: RequestContext;
  maxBytes: number;
}): Promise<unknown> {
  const { headers } = context;
  const hasBody = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
  if (!hasBody) return undefined;
  requireJsonMediaType({
    contentType: headers["content-type"],
    contentEncoding: headers["content-encoding"],
  });
  const bytes = await context.readBody(maxBytes);
  return bytes.length === 0 ? undefined : parseJson(bytes);
}

/** As above, for routes that answer a body that is no JSON in words of their own. */
export async function readJsonBodyPlainly(request: Parameters<typeof readJsonBody>[0]): Promise<unknown> {
  try {
    return await readJsonBody(request);
  } catch (error) {
    if (error instanceof Refusal && error.refusalName === "invalid-request") {
      throw new Refusal("invalid-json-body", { cause: error });
    }
    throw error;
  }
}

/** What was sent, in the shape it has to have; or the refusal that names each issue. */
export function parseShape<Shape>({ schema, value }: { schema: z.ZodType<Shape>; value: unknown }): Shape {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw describeShape(parsed.error);
}

function describeShape(error: z.ZodError): Refusal {
  const errors = error.issues.map((issue) => ({ path: issue.path.join("."), message: issue.message }));
  const [first] = errors;
  const isTokenIdOnly = errors.length > 0 && errors.every(({ path }) => path === "tokenId");
  return new Refusal(isTokenIdOnly ? "invalid-tokenid" : "invalid-request", {
    detail: first ? `${first.path ? `${first.path}: ` : ""}${first.message}` : undefined,
    members: { errors },
  });
}
