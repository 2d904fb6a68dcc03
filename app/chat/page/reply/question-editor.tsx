import { useContext, useEffect, useRef, useState } from "react";
import { Button } from "~/ui/button";
import { CharactersLeft, countLeft, focusComposer } from "../composer";
import type { Question } from "../conversation/conversation";
import { AskingBarrierContext, askingBarriers, useChatSession } from "../conversation/chat-context";

type QuestionEditorProps = { question: Question; isQuiet: boolean; onClose: () => void };

export function QuestionEditor({ question, isQuiet, onClose }: QuestionEditorProps) {
  const session = useChatSession();
  const [text, setText] = useState(question.text);
  const leftChars = countLeft(text);
  const field = useRef<HTMLTextAreaElement>(null);
  const barrier = useContext(AskingBarrierContext);
  const reason = isQuiet ? "Wait until the answer is complete." : barrier && askingBarriers[barrier];

  useEffect(() => {
    const element = field.current;
    element?.focus();
    element?.setSelectionRange(element.value.length, element.value.length);
  }, []);

  function send(): void {
    if (reason !== null || text.trim() === "" || leftChars < 0) return;
    session.edit(question, text.trim());
    onClose();
    focusComposer();
  }

  return (
    <form
      className="stack card question-editor"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        ref={field}
        className="input"
        aria-label="Your message"
        rows={Math.min(10, text.split("\n").length + 1)}
        aria-invalid={leftChars < 0 || undefined}
        aria-describedby="question-editor-hint"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          if (event.key === "Enter" && !event.shiftKey) {
            event.preventDefault();
            send();
          }
          if (event.key === "Escape") {
            event.stopPropagation();
            onClose();
          }
        }}
      />
      <p id="question-editor-hint" className="soft">
        The conversation continues from here. The later messages stay in the previous version.{" "}
        {reason ? <strong>{reason} </strong> : null}
        <CharactersLeft leftChars={leftChars} />
      </p>
      <div className="row">
        <Button type="submit" blocked={reason !== null}>
          Send
        </Button>
        <Button tone="quiet" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
