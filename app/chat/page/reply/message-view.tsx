import { memo, useContext, useEffect, useMemo, useRef, useState } from "react";
import { takeLostFocus } from "~/ui/lost-focus";
import { Button } from "~/ui/button";
import { Dialog } from "~/ui/dialog";
import {
  AskingBarrierContext,
  askingBarriers,
  useChatSession,
  useChatState,
} from "../conversation/chat-context";
import { ChatNoticeCard } from "../chat-notice-card";
import { focusComposer } from "../composer";
import { CopyButton } from "./copy-button";
import { textOfReply } from "../conversation/conversation";
import type { Message, Question, Reply } from "../conversation/conversation";
import { Icon, IconButton } from "../icon";
import { MessageMarkdown } from "./message-markdown";
import { chooseCitations, listPassages } from "../conversation/passages";
import type { Passage } from "../conversation/passages";
import { QuestionEditor } from "./question-editor";
import { ReadAloud } from "../speech/read-aloud";
import { ToolChip } from "./tool-chip";

type ViewProps<Kind extends Message> = {
  message: Kind;
  /** IDs of its versions in one string, so that React sees changes. */
  versionIds: string;
  /** While a reply is growing, nothing may begin another one. */
  isQuiet: boolean;
};

export const MessageView = memo(function MessageView({ message, ...view }: ViewProps<Message>) {
  return message.role === "user" ? (
    <QuestionView message={message} {...view} />
  ) : (
    <ReplyView message={message} {...view} />
  );
});

function QuestionView({ message: question, versionIds, isQuiet }: ViewProps<Question>) {
  const [isEdited, setIsEdited] = useState(false);
  const editButton = useRef<HTMLButtonElement>(null);
  const wasEdited = useRef(false);

  // Cancelling removes the field that had the focus.
  useEffect(() => {
    if (!isEdited && wasEdited.current) takeLostFocus(editButton.current);
    wasEdited.current = isEdited;
  }, [isEdited]);

  return (
    <article className="stack message message-question" aria-label="You">
      <h2 className="visually-hidden">You</h2>
      {isEdited ? (
        <QuestionEditor question={question} isQuiet={isQuiet} onClose={() => setIsEdited(false)} />
      ) : (
        <>
          <div className="question-text">{question.text}</div>
          <div className="row message-actions">
            <VersionSwitch message={question} versionIds={versionIds} isQuiet={isQuiet} />
            <CopyButton label="Copy your message" text={question.text} />
            {isQuiet ? null : (
              <IconButton
                buttonRef={editButton}
                label="Edit your message"
                icon="edit"
                onClick={() => setIsEdited(true)}
              />
            )}
          </div>
        </>
      )}
    </article>
  );
}

function ReplyView({ message: reply, versionIds, isQuiet }: ViewProps<Reply>) {
  const session = useChatSession();
  const [opened, setOpened] = useState<Passage | null>(null);
  const isGrowing = reply.status === "streaming";
  const text = textOfReply(reply);
  const passages = useMemo(() => listPassages(reply), [reply]);
  const barrier = useContext(AskingBarrierContext);
  // The visitor signs in on another page. This page learns of it by trying again.
  const mayTry = barrier === null || barrier === "sign-in";
  const barrierText = barrier ? askingBarriers[barrier] : undefined;
  function replyAgain(): void {
    void session.replyAgain(reply);
    focusComposer();
  }

  return (
    <article className="stack message message-reply" aria-label="Assistant">
      <h2 className="visually-hidden">Assistant</h2>
      <ReplyParts reply={reply} isGrowing={isGrowing} />
      {isGrowing ? null : <Sources citations={chooseCitations(passages, text)} onOpen={setOpened} />}
      <ReplyEnding reply={reply} />
      {reply.notice ? (
        <ChatNoticeCard notice={reply.notice}>
          {({ mustWait }) =>
            reply.notice?.kind === "final" || isQuiet ? null : (
              <Button
                tone="quiet"
                blocked={mustWait || !mayTry}
                title={mayTry ? undefined : barrierText}
                onClick={replyAgain}
              >
                <Icon name="again" /> Try again
              </Button>
            )
          }
        </ChatNoticeCard>
      ) : null}
      <div className="row message-actions">
        {isGrowing ? null : (
          <>
            <VersionSwitch message={reply} versionIds={versionIds} isQuiet={isQuiet} />
            {text === "" ? null : <CopyButton label="Copy the answer" text={text} />}
            {isQuiet || reply.notice ? null : (
              <IconButton
                label="Answer again"
                icon="again"
                aria-disabled={barrier !== null || undefined}
                title={barrierText}
                onClick={barrier ? undefined : replyAgain}
              />
            )}
          </>
        )}
        {text === "" ? null : <ReadAloud reply={reply} />}
        {!isGrowing && reply.model ? <span className="soft reply-model">{reply.model}</span> : null}
      </div>
      {opened ? <PassageDialog passage={opened} onClose={() => setOpened(null)} /> : null}
    </article>
  );
}

function ReplyParts({ reply, isGrowing }: { reply: Reply; isGrowing: boolean }) {
  const last = reply.parts.at(-1);
  const isLost = useChatState("lostIds").includes(reply.id);
  const isThinking = isGrowing && !isLost && (last === undefined || last.kind === "tool" || last.text === "");
  return (
    <>
      {reply.parts.map((part, index) =>
        part.kind === "tool" ? (
          <ToolChip key={part.toolCallId} part={part} />
        ) : (
          <MessageMarkdown key={index} text={part.text} isGrowing={isGrowing && part === last} />
        ),
      )}
      {isLost ? <ComingBack /> : null}
      {isThinking ? (
        <p className="row thinking">
          <span className="visually-hidden">The assistant is working on it</span>
          <span aria-hidden="true" />
          <span aria-hidden="true" />
          <span aria-hidden="true" />
        </p>
      ) : null}
    </>
  );
}

function ComingBack() {
  const isOnline = useChatState("isOnline");
  return (
    <p className="row soft coming-back">
      <span className="spinner" aria-hidden="true" />
      {isOnline
        ? "Coming back to the answer …"
        : "The connection is lost. The answer goes on; the rest of it comes when the connection is back."}
    </p>
  );
}

const endings: Partial<Record<string, string>> = {
  length: "The reply hit the length limit. Ask it to continue.",
  "content-filter": "The provider withheld the rest of this reply.",
  "tool-calls": "The assistant ran out of tool calls before it replied.",
};

function ReplyEnding({ reply: { id, status, finishReason, notice } }: { reply: Reply }) {
  const isStopping = useChatState("stoppingIds").includes(id);
  const stopped = isStopping ? "Stopping …" : "Stopped.";
  // With a notice it may continue.
  const ending = status === "stopped" && !notice ? stopped : undefined;
  const text = status === "done" ? endings[finishReason ?? ""] : ending;
  return text ? <p className="soft reply-ending">{text}</p> : null;
}

type SourcesProps = { citations: readonly Passage[]; onOpen: (passage: Passage) => void };

function Sources({ citations, onOpen }: SourcesProps) {
  if (citations.length === 0) return null;
  return (
    <div className="sources" role="group" aria-label="Sources">
      <ol className="row">
        {citations.map((citation, index) => (
          <li key={citation.id}>
            <button type="button" className="source-chip" onClick={() => onOpen(citation)}>
              <span className="source-number" aria-hidden="true">
                {index + 1}
              </span>
              <span className="stack source-words">
                <span className="source-title">{citation.heading ?? citation.title}</span>
                <span className="soft source-page">
                  {citation.heading ? citation.title : citation.source}
                </span>
              </span>
            </button>
          </li>
        ))}
      </ol>
    </div>
  );
}

type PassageDialogProps = { passage: Passage; onClose: () => void };

function PassageDialog({ passage, onClose }: PassageDialogProps) {
  return (
    <Dialog title={passage.heading ?? passage.title} onClose={onClose}>
      <p className="row soft passage-origin">
        <Icon name="page" /> {passage.title} <code>{passage.source}</code>
      </p>
      <div className="passage-text">
        <MessageMarkdown text={passage.text} />
      </div>
    </Dialog>
  );
}

function VersionSwitch({ message, versionIds, isQuiet }: ViewProps<Message>) {
  const session = useChatSession();
  const ids = versionIds.split(" ");
  if (ids.length < 2 || isQuiet) return null;
  const index = ids.indexOf(message.id);
  const toVersion = (next: number) => ({
    "aria-disabled": ids[next] === undefined || undefined,
    onClick: () => ids[next] !== undefined && session.choose(message.parentId, ids[next]),
  });
  return (
    <span className="versions" role="group" aria-label="Versions">
      <IconButton label="Previous version" icon="previous" {...toVersion(index - 1)} />
      <span>
        {index + 1}/{ids.length}
      </span>
      <IconButton label="Next version" icon="next" {...toVersion(index + 1)} />
    </span>
  );
}
