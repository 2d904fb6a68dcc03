import type { z } from "zod";
import { requireJsonMediaType } from "./body.server";
import { defaultJsonBounds, findJsonExcess, parseJsonText } from "./json-text";
import type { JsonBounds } from "./json-text";
import { Refusal } from "./refusal";
import type { RefusalName } from "./refusal";
import type { RequestContext } from "./request-context.server";
import { describeIssues } from "./shape-issues";

/** The bytes of a body that is declared as JSON, as they come; null where the request has none. */
export async function receiveJson(
  context: Pick<RequestContext, "headers" | "readBody">,
  maxBytes: number,
): Promise<Buffer | null> {
  const { headers } = context;
  const hasBody = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
  if (!hasBody) return null;
  requireJsonMediaType({
    contentType: headers["content-type"],
    contentEncoding: headers["content-encoding"],
  });
  const bytes = await context.readBody(maxBytes);
  return bytes.length === 0 ? null : bytes;
}

const strictUtf8 = new TextDecoder("utf-8", { fatal: true });
const notJson = "The body is not valid JSON.";

/** What was sent, as long as it is JSON and no more of it than `bounds` allow. */
export function parseJson(
  bytes: Uint8Array,
  bounds: JsonBounds = defaultJsonBounds,
  refusalName: RefusalName = "invalid-request",
): unknown {
  const excess = findJsonExcess(bytes, bounds);
  if (excess !== null) throw new Refusal(refusalName, { detail: excess, members: nameFault(excess) });
  try {
    return parseJsonText(strictUtf8.decode(bytes));
  } catch (cause) {
    // A refusal that says as much by its title has nothing to add.
    const members = refusalName === "invalid-request" ? nameFault(notJson) : {};
    throw new Refusal(refusalName, { detail: notJson, members, cause });
  }
}

function nameFault(message: string) {
  return { errors: [{ path: "", message }] };
}

/** What was sent, in the shape it has to have; or the refusal that names what is wrong with it. */
export function parseShape<Shape>(schema: z.ZodType<Shape>, value: unknown): Shape {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw describeShape(parsed.error);
}

function describeShape({ issues }: z.ZodError): Refusal {
  const errors = describeIssues(issues);
  const [first] = errors;
  const isTokenIdOnly = errors.length > 0 && errors.every(({ path }) => path === "tokenId");
  return new Refusal(isTokenIdOnly ? "invalid-tokenid" : "invalid-request", {
    detail: first ? `${first.path ? `${first.path}: ` : ""}${first.message}` : undefined,
    members: { errors },
  });
}
