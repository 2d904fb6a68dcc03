import type { ChatEvent, FinishReason } from "~/chat/reply/chat-events";
import type { ChatNotice } from "../chat-notice";
import type { StreamedEvent } from "./chat-stream";

type TextPart = { kind: "text"; id: string; text: string };
export type ToolPart = {
  kind: "tool";
  toolCallId: string;
  name: string;
  state: "preparing" | "running" | "done" | "failed" | "stopped";
  input?: unknown;
  output?: unknown;
  errorText: string | null;
  startedAtMs: number;
  endedAtMs: number | null;
};
type Part = TextPart | ToolPart;

type Entry = { id: string; parentId: string; createdAtMs: number };
export type Question = Entry & { role: "user"; text: string };
export type Reply = Entry & {
  role: "assistant";
  parts: Part[];
  status: "streaming" | "done" | "stopped" | "failed";
  finishReason: FinishReason | null;
  notice: ChatNotice | null;
  model: string | null;
  /** The server's name for a reply that it continues without readers. */
  replyId?: string;
  /** The last event that `parts` hold. Absent before the first one. */
  lastEventId?: number;
  /** Events don't tell: a complete reply has the reason `stop`, too. */
  isStoppedByUser?: boolean;
};
export type Message = Question | Reply;

/** A tree. `choices` maps a message to its shown successor, which is the newest by default. */
export type Conversation = {
  id: string;
  title: string;
  createdAtMs: number;
  updatedAtMs: number;
  messages: Message[];
  choices: Record<string, string>;
};

export const rootId = "root";
const maxTitleChars = 60;

export function createConversation(id: string, nowMs: number): Conversation {
  return { id, title: "", createdAtMs: nowMs, updatedAtMs: nowMs, messages: [], choices: {} };
}

export function findGrowing(conversation: Conversation | null): Reply | null {
  const found = conversation?.messages.findLast(
    (message) => message.role === "assistant" && message.status === "streaming",
  );
  return (found as Reply | undefined) ?? null;
}

/** The messages on the chosen branch, first to last. */
export function listShown({ messages, choices }: Conversation): Message[] {
  const successors = new Map<string, Message[]>();
  for (const message of messages) {
    successors.set(message.parentId, [...(successors.get(message.parentId) ?? []), message]);
  }
  const shown: Message[] = [];
  let parentId = rootId;
  for (;;) {
    const candidates = successors.get(parentId) ?? [];
    const next = candidates.find(({ id }) => id === choices[parentId]) ?? candidates.at(-1);
    if (!next) return shown;
    // A damaged store may have cycles.
    successors.delete(parentId);
    shown.push(next);
    parentId = next.id;
  }
}

/** Adds the message as the one that is shown after its parent. */
export function addMessage(conversation: Conversation, message: Message): Conversation {
  return {
    ...conversation,
    title: conversation.title === "" && message.role === "user" ? toTitle(message.text) : conversation.title,
    updatedAtMs: message.createdAtMs,
    messages: [...conversation.messages, message],
    choices: { ...conversation.choices, [message.parentId]: message.id },
  };
}

export function replaceMessage({ messages, ...rest }: Conversation, message: Message): Conversation {
  return { ...rest, messages: messages.map((known) => (known.id === message.id ? message : known)) };
}

export function removeMessage(conversation: Conversation, id: string): Conversation {
  const { [id]: _gone, ...choices } = conversation.choices;
  return { ...conversation, choices, messages: conversation.messages.filter((known) => known.id !== id) };
}

export function textOfReply({ parts }: Reply): string {
  return parts
    .flatMap((part) => (part.kind === "text" && part.text.trim() !== "" ? [part.text] : []))
    .join("\n\n");
}

export function toTitle(text: string): string {
  const line = text.trim().replace(/\s+/g, " ");
  if (line.length <= maxTitleChars) return line;
  const cut = line.slice(0, maxTitleChars);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(" "), maxTitleChars / 2)).replace(/[\uD800-\uDBFF]$/, "")} …`;
}

/**
 * After a reconnect, events may come again and are skipped. An ending counts whatever its number: if the writer died, the
 * reply ends right after the stored events, and a reader may have seen more.
 */
export function takeEvent(reply: Reply, { id, event }: StreamedEvent, nowMs: number): Reply {
  const { lastEventId = 0 } = reply;
  const isFromStart = id === 1 && event.type === "start";
  const isEnding = event.type === "error" || event.type === "finish";
  if (id !== null && id <= lastEventId && !isFromStart && !isEnding) return reply;
  const taken = applyEvent(isFromStart ? { ...reply, parts: [] } : reply, event, nowMs);
  if (id === null) return taken;
  return { ...taken, lastEventId: isFromStart ? id : Math.max(id, lastEventId) };
}

export function applyEvent(reply: Reply, event: ChatEvent, nowMs: number): Reply {
  switch (event.type) {
    case "text-start":
      return { ...reply, parts: [...reply.parts, { kind: "text", id: event.id, text: "" }] };
    case "text-delta":
      return appendText(reply, event.id, event.delta);
    case "tool-input-start":
      return startTool(reply, event, nowMs);
    case "tool-input-available": {
      const { toolCallId, input } = event;
      const isKnown = reply.parts.some((part) => part.kind === "tool" && part.toolCallId === toolCallId);
      const started = isKnown ? reply : startTool(reply, event, nowMs);
      return changeTool(started, toolCallId, { state: "running", input, startedAtMs: nowMs });
    }
    case "tool-output-available":
      return changeTool(reply, event.toolCallId, { state: "done", output: event.output, endedAtMs: nowMs });
    case "tool-output-error": {
      const { toolCallId, errorText } = event;
      return changeTool(reply, toolCallId, { state: "failed", errorText, endedAtMs: nowMs });
    }
    case "finish":
      return { ...reply, finishReason: event.messageMetadata?.finishReason ?? "other" };
    default:
      return reply;
  }
}

export function settleTools(parts: Part[]): Part[] {
  return parts.map((part) =>
    part.kind === "tool" && (part.state === "running" || part.state === "preparing")
      ? { ...part, state: "stopped" }
      : part,
  );
}

/** A reply that its page left unfinished has ended, unless the server continues it. */
export function asInterrupted(conversation: Conversation): Conversation {
  const messages = conversation.messages.map((message): Message => {
    if (message.role === "user" || message.status !== "streaming" || message.replyId) return message;
    return { ...message, status: "stopped", parts: settleTools(message.parts) };
  });
  return { ...conversation, messages };
}

type StartedCall = { toolCallId: string; toolName: string };

function startTool(reply: Reply, { toolCallId, toolName: name }: StartedCall, startedAtMs: number): Reply {
  const times = { startedAtMs, endedAtMs: null };
  const part: ToolPart = { kind: "tool", toolCallId, name, state: "preparing", errorText: null, ...times };
  return { ...reply, parts: [...reply.parts, part] };
}

function changeTool(reply: Reply, toolCallId: string, change: Partial<ToolPart>): Reply {
  const parts = reply.parts.map((part) =>
    part.kind === "tool" && part.toolCallId === toolCallId ? { ...part, ...change } : part,
  );
  return { ...reply, parts };
}

/** A later step may repeat an ID. It means the newest part. */
function appendText(reply: Reply, id: string, delta: string): Reply {
  const at = reply.parts.findLastIndex((part) => part.kind === "text" && part.id === id);
  const text = at < 0 ? delta : (reply.parts[at] as TextPart).text + delta;
  const part: TextPart = { kind: "text", id, text };
  return { ...reply, parts: at < 0 ? [...reply.parts, part] : reply.parts.with(at, part) };
}
