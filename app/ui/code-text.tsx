import { Fragment } from "react";

/** A sentence whose `words in backticks` are names from code. */
export function CodeText({ text }: { text: string }) {
  return text
    .split(/`([^`]+)`/)
    .map((part, index) =>
      index % 2 === 1 ? <code key={index}>{part}</code> : <Fragment key={index}>{part}</Fragment>,
    );
}
