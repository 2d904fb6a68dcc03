import type { ReferenceOperation } from "./reference";
import type { TryAnswer } from "./try-request";

export type RefusalNotice = { title: string; detail: string; page: string; retryAfter: string | null };

/** What a refused try tells a person, with the page that explains it; null where nothing was refused. */
export function readRefusal({
  answer,
  operation,
}: {
  answer: TryAnswer;
  operation: ReferenceOperation;
}): RefusalNotice | null {
  if (answer.status < 400 || answer.phase === "receiving") return null;
  const body = parse(answer.text);
  const title = readWords(body, "title") ?? readWords(body, "error") ?? `HTTP status ${answer.status}`;
  const detail = readWords(body, "detail") ?? readWords(body, "details") ?? "";
  const retryAfter = answer.headers.find(([name]) => name.toLowerCase() === "retry-after")?.[1] ?? null;
  return { title, detail, page: findPage({ body, title, status: answer.status, operation }), retryAfter };
}

/** Problem Details name their page; of `{error}` the words or the status tell. The list of all is the last resort. */
function findPage({
  body,
  title,
  status,
  operation,
}: {
  body: Record<string, unknown>;
  title: string;
  status: number;
  operation: ReferenceOperation;
}): string {
  const [named] = /\/problems\/[a-z-]+$/.exec(readWords(body, "type") ?? "") ?? [];
  if (named) return named;
  const ofStatus = operation.refusals.filter((refusal) => refusal.status === status);
  const found =
    ofStatus.find((refusal) => refusal.title === title) ?? (ofStatus.length === 1 ? ofStatus[0] : null);
  return found ? `/problems/${found.slug}` : "/problems";
}

function parse(text: string): Record<string, unknown> {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** MCP words its refusals one level deeper. */
function readWords(body: Record<string, unknown>, name: string): string | null {
  const value = body[name];
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return null;
  const { message } = value as { message?: unknown };
  return typeof message === "string" ? message : null;
}
