import { memo, useEffect, useMemo, useRef, useState } from "react";
import { takeLostFocus } from "~/ui/lost-focus";
import { Button } from "~/ui/button";
import { barrierWords, useAskingBarrier } from "../conversation/asking-barrier";
import { ChatNoticeCard } from "../chat-notice-card";
import { focusComposer } from "../composer-focus";
import { CopyButton } from "./copy-button";
import { textOfReply } from "../conversation/conversation";
import type { Message, Question, Reply } from "../conversation/conversation";
import { Icon } from "../icon";
import { MessageMarkdown, SourceLinkerContext } from "./message-markdown";
import { chooseCitations, listPassages } from "../conversation/passages";
import type { Citation } from "../conversation/passages";
import { QuestionEditor } from "./question-editor";
import { ReadAloud } from "../speech/read-aloud";
import { PassageDialog, Sources } from "./sources";
import { ToolChip } from "./tool-chip";
import { useChatSession } from "../conversation/use-chat";

type Variants = { ids: readonly string[]; index: number };

/** `isQuiet` while an answer is being written: what would begin another one is not offered then. */
type MessageViewProps = { message: Message; variants: Variants | null; isQuiet: boolean };

export const MessageView = memo(
  function MessageView({ message, variants, isQuiet }: MessageViewProps) {
    return message.role === "user" ? (
      <QuestionView question={message} variants={variants} isQuiet={isQuiet} />
    ) : (
      <ReplyView reply={message} variants={variants} isQuiet={isQuiet} />
    );
  },
  (one, other) =>
    one.message === other.message &&
    one.isQuiet === other.isQuiet &&
    one.variants?.index === other.variants?.index &&
    one.variants?.ids.length === other.variants?.ids.length,
);

type ViewProps = Omit<MessageViewProps, "message">;

function QuestionView({ question, variants, isQuiet }: ViewProps & { question: Question }) {
  const [isEdited, setIsEdited] = useState(false);
  const editButton = useRef<HTMLButtonElement>(null);
  const wasEdited = useRef(false);

  // The field that had the keyboard is gone; a question that was sent has given it to the composer already.
  useEffect(() => {
    if (!isEdited && wasEdited.current) takeLostFocus(editButton.current);
    wasEdited.current = isEdited;
  }, [isEdited]);

  return (
    <article className="message message-question" aria-label="You">
      <h2 className="visually-hidden">You</h2>
      {isEdited ? (
        <QuestionEditor question={question} isQuiet={isQuiet} onClose={() => setIsEdited(false)} />
      ) : (
        <>
          <div className="question-text">{question.text}</div>
          <div className="message-actions">
            <VariantSwitch variants={variants} parentId={question.parentId} isQuiet={isQuiet} />
            <CopyButton label="Copy your message" text={() => question.text} />
            {isQuiet ? null : (
              <button
                ref={editButton}
                type="button"
                className="quiet-action"
                aria-label="Edit your message"
                onClick={() => setIsEdited(true)}
              >
                <Icon name="edit" />
              </button>
            )}
          </div>
        </>
      )}
    </article>
  );
}

function ReplyView({ reply, variants, isQuiet }: ViewProps & { reply: Reply }) {
  const session = useChatSession();
  const [opened, setOpened] = useState<Citation | null>(null);
  const isGrowing = reply.status === "streaming";
  const text = textOfReply(reply);
  const passages = useMemo(() => listPassages(reply), [reply]);
  const barrier = useAskingBarrier();
  // Signing in again happens elsewhere, and trying again is how this page learns of it.
  const mayTry = barrier === null || barrier === "sign-in";
  function answerAgain(): void {
    session.answerAgain(reply);
    focusComposer();
  }

  const citations = isGrowing ? [] : chooseCitations(passages, text);
  return (
    <article className="message message-reply" aria-label="Assistant">
      <h2 className="visually-hidden">Assistant</h2>
      <SourceLinkerContext.Provider value={useSourceLinker(reply, setOpened)}>
        <ReplyParts reply={reply} isGrowing={isGrowing} />
      </SourceLinkerContext.Provider>
      {isGrowing ? null : <Sources citations={citations} onOpen={setOpened} />}
      <ReplyEnding reply={reply} />
      {reply.notice ? (
        <ChatNoticeCard notice={reply.notice}>
          {({ mustWait }) =>
            reply.notice?.kind === "final" || isQuiet ? null : (
              <Button
                tone="quiet"
                blocked={mustWait || !mayTry}
                title={barrier && !mayTry ? barrierWords[barrier] : undefined}
                onClick={answerAgain}
              >
                <Icon name="again" /> Try again
              </Button>
            )
          }
        </ChatNoticeCard>
      ) : null}
      <div className="message-actions">
        {isGrowing ? null : (
          <>
            <VariantSwitch variants={variants} parentId={reply.parentId} isQuiet={isQuiet} />
            {text === "" ? null : <CopyButton label="Copy the answer" text={() => text} />}
            {isQuiet || reply.notice ? null : (
              <button
                type="button"
                className="quiet-action"
                aria-label="Answer again"
                aria-disabled={barrier !== null || undefined}
                title={barrier ? barrierWords[barrier] : undefined}
                onClick={barrier ? undefined : answerAgain}
              >
                <Icon name="again" />
              </button>
            )}
          </>
        )}
        {text === "" ? null : <ReadAloud reply={reply} />}
        {!isGrowing && reply.model ? <span className="reply-model">{reply.model}</span> : null}
      </div>
      {opened ? <PassageDialog citation={opened} onClose={() => setOpened(null)} /> : null}
    </article>
  );
}

function ReplyParts({ reply, isGrowing }: { reply: Reply; isGrowing: boolean }) {
  const last = reply.parts.at(-1);
  // Between a question and its first word, and between a tool and what follows it, something has to move.
  const isThinking = isGrowing && (last === undefined || last.kind === "tool" || last.text === "");
  return (
    <>
      {reply.parts.map((part, index) =>
        part.kind === "tool" ? (
          <ToolChip key={part.toolCallId} part={part} />
        ) : (
          <MessageMarkdown key={index} text={part.text} isGrowing={isGrowing && part === last} />
        ),
      )}
      {isThinking ? (
        <p className="thinking">
          <span className="visually-hidden">The assistant is working on it</span>
          <span aria-hidden="true" />
          <span aria-hidden="true" />
          <span aria-hidden="true" />
        </p>
      ) : null}
    </>
  );
}

const endings: Partial<Record<string, string>> = {
  length: "The answer reached its longest length. Ask for the rest to read on.",
  "content-filter": "The provider held back the rest of this answer.",
  "tool-calls": "The assistant used up its rounds of tools before it came to an answer.",
};

function ReplyEnding({ reply: { status, finishReason } }: { reply: Reply }) {
  const words =
    status === "stopped" ? "Stopped." : status === "done" ? endings[finishReason ?? ""] : undefined;
  return words ? <p className="reply-ending">{words}</p> : null;
}

/** Names of pages that the answer mentions lead to what was read there. */
function useSourceLinker(reply: Reply, onOpen: (citation: Citation) => void) {
  // Tools change with their outcomes only, so that growing text leaves finished blocks alone.
  const outcomes = JSON.stringify(
    reply.parts.flatMap((part) => (part.kind === "tool" ? [[part.toolCallId, part.state]] : [])),
  );
  return useMemo(() => {
    const passages = listPassages(reply);
    const names = [...new Set(passages.map(({ source }) => source))];
    if (names.length === 0) return null;
    return {
      names,
      render: (name: string) => {
        const passage = passages.find(({ source }) => source === name)!;
        return (
          <button type="button" className="source-mention" onClick={() => onOpen({ ...passage, number: 0 })}>
            {name}
          </button>
        );
      },
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- see `outcomes`
  }, [outcomes, onOpen]);
}

function VariantSwitch({
  variants,
  parentId,
  isQuiet,
}: {
  variants: Variants | null;
  parentId: string;
  isQuiet: boolean;
}) {
  const session = useChatSession();
  if (!variants || isQuiet) return null;
  const { ids, index } = variants;
  const choose = (next: number) => {
    const id = ids[next];
    if (id) session.choose({ parentId, id });
  };
  return (
    <span className="variants" role="group" aria-label="Versions">
      <button
        type="button"
        className="quiet-action"
        aria-label="Version before"
        aria-disabled={index === 0 || undefined}
        onClick={() => choose(index - 1)}
      >
        <Icon name="previous" />
      </button>
      <span>
        {index + 1}/{ids.length}
      </span>
      <button
        type="button"
        className="quiet-action"
        aria-label="Version after"
        aria-disabled={index === ids.length - 1 || undefined}
        onClick={() => choose(index + 1)}
      >
        <Icon name="next" />
      </button>
    </span>
  );
}
