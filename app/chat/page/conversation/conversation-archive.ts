import { chatEntryPrefix as prefix, tryTo } from "~/ui/personal-storage";
import type { Conversation, Message, Part, Reply } from "./conversation";

export type KeyValueStore = Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">;

const conversationPrefix = `${prefix}conversation.`;

type TextName = "open" | "model" | `draft.${string}`;

/** Conversations and drafts, one entry each, so that windows side by side overwrite nothing of each other's. */
export function createConversationArchive(store: KeyValueStore) {
  return {
    /** Unreadable entries stay: a later version of this page may read them. */
    readAll(): Conversation[] {
      return Array.from({ length: store.length }, (_, index) => store.key(index)).flatMap((key) =>
        key?.startsWith(conversationPrefix) ? (readConversation(store.getItem(key)) ?? []) : [],
      );
    },
    find: (id: string): Conversation | null => readConversation(store.getItem(conversationPrefix + id)),
    /** False when the browser takes no more. */
    write(conversation: Conversation): boolean {
      return tryTo(() => store.setItem(conversationPrefix + conversation.id, JSON.stringify(conversation)));
    },
    remove(id: string): void {
      tryTo(() => store.removeItem(conversationPrefix + id));
      tryTo(() => store.removeItem(`${prefix}draft.${id}`));
    },
    readText: (name: TextName): string | null => store.getItem(prefix + name),
    writeText(name: TextName, text: string): void {
      tryTo(() => (text === "" ? store.removeItem(prefix + name) : store.setItem(prefix + name, text)));
    },
    /** The conversation that an entry's key belongs to, for changes made in another window. */
    findConversationId: (key: string | null): string | null =>
      key?.startsWith(conversationPrefix) ? key.slice(conversationPrefix.length) : null,
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

const isText = (value: unknown) => typeof value === "string";

/** Null for anything that is not whole: other code, or a person, may have written there. */
export function readConversation(json: string | null): Conversation | null {
  try {
    const { messages, ...rest } = JSON.parse(json ?? "") as Conversation;
    const isWhole =
      [rest.id, rest.title].every(isText) &&
      [rest.createdAtMs, rest.updatedAtMs].every(Number.isFinite) &&
      typeof rest.choices === "object" &&
      messages.every(isMessage);
    return isWhole ? { ...rest, messages } : null;
  } catch {
    return null;
  }
}

function isMessage(message: Message): boolean {
  const isWhole = message.role === "user" ? isText(message.text) : isReply(message);
  return isWhole && [message.id, message.parentId].every(isText) && Number.isFinite(message.createdAtMs);
}

function isReply({ parts, replyId, lastEventId }: Reply): boolean {
  const isNamed = replyId === undefined || isText(replyId);
  return parts.every(isPart) && isNamed && (lastEventId === undefined || Number.isSafeInteger(lastEventId));
}

function isPart(part: Part): boolean {
  if (part.kind === "text") return isText(part.text);
  return part.kind === "tool" && isText(part.name) && isText(part.toolCallId);
}
