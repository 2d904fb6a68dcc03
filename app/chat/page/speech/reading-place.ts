import { chatEntryPrefix, tryTo } from "~/ui/personal-storage";
import type { SpeechState } from "./speech-player";

const name = `${chatEntryPrefix}reading`;

export type ReadingPlace = { messageId: string; at: number };

/** For this tab only, where it outlives a reload. */
export function keepReadingPlace({ messageId, at }: Pick<SpeechState, "messageId" | "at">): void {
  tryTo(() => {
    if (messageId === null) window.sessionStorage.removeItem(name);
    else window.sessionStorage.setItem(name, JSON.stringify({ messageId, at }));
  });
}

export function findReadingPlace(): ReadingPlace | null {
  const kept: Partial<ReadingPlace>[] = [];
  tryTo(() => kept.push(JSON.parse(window.sessionStorage.getItem(name) ?? "{}") as Partial<ReadingPlace>));
  const { messageId, at } = kept[0] ?? {};
  if (typeof messageId !== "string" || !Number.isSafeInteger(at)) return null;
  return { messageId, at: at! };
}
