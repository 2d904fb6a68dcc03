import { listShown, textOfReply } from "./conversation";
import type { Conversation, Reply } from "./conversation";
import { chooseCitations, listPassages } from "./passages";

type ExportFormat = "markdown" | "json";

export function downloadConversation(conversation: Conversation, format: ExportFormat): void {
  const { fileName, mediaType, text } = exportConversation(conversation, format);
  const address = URL.createObjectURL(new Blob([text], { type: `${mediaType};charset=utf-8` }));
  const link = Object.assign(document.createElement("a"), { href: address, download: fileName });
  link.click();
  // The browser reads it after the click.
  window.setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** Markdown has what is shown, JSON every version with tool inputs and outputs. */
export function exportConversation(conversation: Conversation, format: ExportFormat) {
  const name = toFileName(conversation.title);
  if (format === "json") {
    const text = `${JSON.stringify({ format: "latchkey-conversation", version: 1, ...conversation }, null, 2)}\n`;
    return { fileName: `${name}.json`, mediaType: "application/json", text };
  }
  const messages = listShown(conversation).map((message) =>
    message.role === "user" ? `## You\n\n${message.text}` : `## Assistant\n\n${toMarkdown(message)}`,
  );
  const text = [`# ${conversation.title || "Conversation"}`, ...messages].join("\n\n");
  return { fileName: `${name}.md`, mediaType: "text/markdown", text: `${text}\n` };
}

function toMarkdown(reply: Reply): string {
  const text = textOfReply(reply);
  const sources = chooseCitations(listPassages(reply), text).map(
    ({ title, heading, source }) => `- ${heading ? `${title}: ${heading}` : title} (${source})`,
  );
  const ending = reply.notice ? `*${reply.notice.title}*` : reply.status === "stopped" ? "*Stopped.*" : "";
  return [text, ending, sources.length > 0 ? `Read for this answer:\n\n${sources.join("\n")}` : ""]
    .filter(Boolean)
    .join("\n\n");
}

function toFileName(title: string): string {
  const name = title
    .normalize("NFKD")
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "")
    .toLowerCase();
  return name.slice(0, 60) || "conversation";
}
