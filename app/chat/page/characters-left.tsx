import { countCharacters } from "~/platform/well-formed-text";
import { maxMessageChars } from "../chat-limits";

const countFromLeft = 1_000;

/** Below zero: so many are too many. */
export function countLeft(text: string): number {
  return maxMessageChars - countCharacters(text);
}

export function CharactersLeft({ leftChars }: { leftChars: number }) {
  if (leftChars >= countFromLeft) return null;
  return (
    <strong className={leftChars < 0 ? "too-long" : undefined}>
      {leftChars < 0 ? `${-leftChars} characters too many: shorten it.` : `${leftChars} characters left.`}
    </strong>
  );
}
