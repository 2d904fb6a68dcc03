import { exportConversation } from "./conversation-export";
import type { ExportFormat } from "./conversation-export";
import type { Conversation } from "./conversation";

export function downloadConversation(order: { conversation: Conversation; format: ExportFormat }): void {
  const { fileName, mediaType, text } = exportConversation(order);
  const address = URL.createObjectURL(new Blob([text], { type: `${mediaType};charset=utf-8` }));
  const link = document.createElement("a");
  link.href = address;
  link.download = fileName;
  link.click();
  // The browser reads it a moment after the click.
  window.setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
