import { useContext, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { KeyboardEvent } from "react";
import { countCharacters } from "~/platform/text/well-formed-text";
import { maxMessageChars } from "../chat-limits";
import { Icon } from "./icon";
import { AskingBarrierContext, useChatSession, useChatState } from "./conversation/chat-context";

const composerId = "chat-input";

export function focusComposer(): void {
  document.getElementById(composerId)?.focus();
}

const countFromLeft = 1_000;

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

export function Composer() {
  const session = useChatSession();
  const isLoaded = useChatState("isLoaded");
  const barrier = useContext(AskingBarrierContext);
  const isGrowing = useChatState("growingId") !== null;
  const { field, text, setText } = useDraft(isLoaded);
  const leftChars = countLeft(text);
  const mayNotSend = barrier !== null || !isLoaded || text.trim() === "" || leftChars < 0;

  function send(): void {
    if (isGrowing || mayNotSend) return;
    session.send(text.trim());
    setText("");
    field.current?.focus();
  }

  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): void {
    // Enter belongs to an input method while it composes.
    if (event.nativeEvent.isComposing || event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    send();
  }

  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <div className="composer-box">
        <label htmlFor={composerId} className="visually-hidden">
          Message
        </label>
        <textarea
          ref={field}
          id={composerId}
          rows={1}
          placeholder="Ask a question"
          autoComplete="off"
          enterKeyHint="send"
          aria-describedby="composer-hint"
          aria-invalid={leftChars < 0 || undefined}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
        />
        {isGrowing ? (
          <button type="button" className="composer-button" aria-label="Stop" onClick={session.stop}>
            <Icon name="stop" />
          </button>
        ) : (
          <button className="composer-button" aria-label="Send" aria-disabled={mayNotSend || undefined}>
            <Icon name="send" />
          </button>
        )}
      </div>
      <p id="composer-hint" className="row soft composer-hint">
        <span className="composer-keys">
          <kbd>Enter</kbd> sends, <kbd>Shift</kbd>+<kbd>Enter</kbd> begins a line, <kbd>Esc</kbd> stops.
        </span>
        <CharactersLeft leftChars={leftChars} />
      </p>
    </form>
  );
}

function useDraft(isLoaded: boolean) {
  const session = useChatSession();
  const { id } = useChatState("open");
  const field = useRef<HTMLTextAreaElement>(null);
  /** Null until loaded: text that was typed before hydration stays. */
  const [known, setKnown] = useState<string | null>(null);

  useLayoutEffect(() => {
    const element = field.current;
    if (!element || known === null) return;
    if (element.value !== known) element.value = known;
    element.style.height = "auto";
    element.style.height = `${element.scrollHeight + 2}px`;
  }, [known]);

  const wasLoaded = useRef(false);
  useEffect(() => {
    if (!isLoaded) return;
    const early = wasLoaded.current ? "" : (field.current?.value ?? "");
    wasLoaded.current = true;
    setKnown(early === "" ? (session.archive.readText(`draft.${id}`) ?? "") : early);
  }, [id, isLoaded, session]);

  return {
    field,
    text: known ?? "",
    setText(next: string) {
      setKnown(next);
      session.archive.writeText(`draft.${id}`, next);
    },
  };
}
