import { chatEntryPrefix as prefix } from "~/platform/personal-storage";
import { settleTools } from "./conversation";
import type { Conversation, Message, Part } from "./conversation";

/** The browser's own storage, or nothing where it is switched off. */
export type KeyValueStore = Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">;

const conversationPrefix = `${prefix}conversation.`;
const draftPrefix = `${prefix}draft.`;

/**
 * Conversations and drafts, one entry each, so that windows side by side overwrite nothing of each other's. No
 * token ever comes here: the page has none.
 */
export function createConversationArchive(store: KeyValueStore) {
  function listKeys(): string[] {
    return Array.from({ length: store.length }, (_, index) => store.key(index)).filter((key) => key !== null);
  }

  return {
    /** Newest first. What cannot be read is left where it is: a later version of this page may read it. */
    readAll(): Conversation[] {
      return listKeys()
        .filter((key) => key.startsWith(conversationPrefix))
        .flatMap((key) => readConversation(store.getItem(key)) ?? [])
        .sort((one, other) => other.updatedAtMs - one.updatedAtMs);
    },
    /** False when the browser takes no more. */
    write(conversation: Conversation): boolean {
      return tryTo(() => store.setItem(conversationPrefix + conversation.id, JSON.stringify(conversation)));
    },
    remove(id: string): void {
      tryTo(() => store.removeItem(conversationPrefix + id));
      tryTo(() => store.removeItem(draftPrefix + id));
    },
    readDraft: (id: string): string => store.getItem(draftPrefix + id) ?? "",
    writeDraft(id: string, text: string): void {
      if (text === "") tryTo(() => store.removeItem(draftPrefix + id));
      else tryTo(() => store.setItem(draftPrefix + id, text));
    },
    readOpenId: (): string | null => store.getItem(`${prefix}open`),
    writeOpenId: (id: string): void => void tryTo(() => store.setItem(`${prefix}open`, id)),
    readModel: (): string | null => store.getItem(`${prefix}model`),
    writeModel: (model: string): void => void tryTo(() => store.setItem(`${prefix}model`, model)),
    /** The conversation that an entry's key belongs to, for changes made in another window. */
    findConversationId: (key: string | null): string | null =>
      key?.startsWith(conversationPrefix) ? key.slice(conversationPrefix.length) : null,
    find: (id: string): Conversation | null => readConversation(store.getItem(conversationPrefix + id)),
  };
}

export type ConversationArchive = ReturnType<typeof createConversationArchive>;

/** For browsers without storage: everything works and nothing outlives the page. */
export function createMemoryStore(): KeyValueStore {
  const entries = new Map<string, string>();
  return {
    getItem: (key) => entries.get(key) ?? null,
    setItem: (key, value) => void entries.set(key, value),
    removeItem: (key) => void entries.delete(key),
    key: (index) => [...entries.keys()][index] ?? null,
    get length() {
      return entries.size;
    },
  };
}

function tryTo(act: () => void): boolean {
  try {
    act();
    return true;
  } catch {
    // Full, or switched off in the meantime.
    return false;
  }
}

/** Null for anything that is not whole: other code, or a person, may have written there. */
export function readConversation(json: string | null): Conversation | null {
  try {
    const value = JSON.parse(json ?? "null") as Conversation | null;
    const isWhole =
      value !== null &&
      [value.id, value.title].every((text) => typeof text === "string") &&
      [value.createdAtMs, value.updatedAtMs].every(Number.isFinite) &&
      typeof value.choices === "object" &&
      value.messages.every(isMessage);
    return isWhole ? { ...value, messages: value.messages.map(asInterrupted) } : null;
  } catch {
    return null;
  }
}

function isMessage(message: Message): boolean {
  const hasFrame =
    typeof message.id === "string" &&
    typeof message.parentId === "string" &&
    Number.isFinite(message.createdAtMs);
  if (!hasFrame) return false;
  return message.role === "user" ? typeof message.text === "string" : message.parts.every(isPart);
}

function isPart(part: Part): boolean {
  if (part.kind === "text") return typeof part.text === "string";
  return part.kind === "tool" && typeof part.name === "string" && typeof part.toolCallId === "string";
}

/** A page that is gone cannot go on: what it was writing then has ended. */
function asInterrupted(message: Message): Message {
  return message.role === "assistant" && message.status === "streaming"
    ? { ...message, status: "stopped", parts: settleTools(message.parts) }
    : message;
}
