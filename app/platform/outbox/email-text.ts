import { findJson, isRecord } from "~/platform/text/json";
import type { ClaimedDelivery } from "./outbox";

export type EmailText = { subject: string; text: string };
export type NotificationFacts = { data: Record<string, unknown>; at: string };
/** By the kind of notification; null if the data is incomplete. */
export type EmailRenderers = Readonly<Record<string, (facts: NotificationFacts) => EmailText | null>>;

/** Unexpected data is shown as JSON: better a plain mail than none. */
export function renderEmail(
  { notificationId, kind, payload, createdAtMs }: Omit<ClaimedDelivery, "channel" | "attempts">,
  renderers: EmailRenderers,
): EmailText {
  const at = readableMoment(createdAtMs);
  const json = findJson(payload);
  const renderer = Object.hasOwn(renderers, kind) ? renderers[kind] : undefined;
  const rendered = isRecord(json) && isRecord(json.data) ? renderer?.({ data: json.data, at }) : null;
  const shown = json === undefined ? payload : JSON.stringify(json, null, 2);
  const { subject, text } = rendered ?? {
    subject: `Notification: ${kind}`,
    text: [`Something happened: ${oneLine(kind)}`, `When: ${at}`, "", quoted(shown)].join("\n"),
  };
  const footer = `Notification ${oneLine(notificationId)}. If it reaches you twice, it is the same event.`;
  return { subject: oneLine(subject, 150), text: `${text}\n\n-- \n${footer}\n` };
}

function readableMoment(ms: number): string {
  const moment = new Date(ms);
  if (Number.isNaN(moment.getTime())) return "at an unknown time";
  return `${moment.toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

/** Quotes a visitor's text line by line, so that it can't pass for ours. */
export function quoted(text: string): string {
  return text
    .split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/)
    .map((line) => `> ${withoutControls(line)}`)
    .join("\n");
}

/** For headers and labelled lines. */
export function oneLine(text: string, maxLength = 100): string {
  const line = withoutControls(text.replace(/[\s\u0085]+/gu, " ")).trim();
  const characters = Array.from(line);
  return characters.length <= maxLength ? line : `${characters.slice(0, maxLength - 1).join("")}…`;
}

/** Drops control characters (except tabs) and those that reorder text on the screen. */
function withoutControls(text: string): string {
  return text.replace(/[^\P{Cc}\t]|[\u202a-\u202e\u2066-\u2069]/gu, "");
}
