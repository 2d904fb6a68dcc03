import { useEffect, useId, useRef, useState } from "react";
import { Button } from "~/ui/button";
import type { ConversationSummary } from "./chat-state";
import { focusComposer } from "../composer";
import { downloadConversation } from "./conversation-export";
import { Icon, IconButton } from "../icon";
import { useChatSession, useChatState } from "./chat-context";

export function ConversationList({ onChosen }: { onChosen?: () => void }) {
  const session = useChatSession();
  const summaries = useChatState("summaries");
  const open = useChatState("open");
  const isStored = useChatState("isStored");
  const [unfoldedId, setUnfoldedId] = useState<string | null>(null);

  function startNew(): void {
    session.startNew();
    onChosen?.();
  }

  return (
    <div className="stack conversations">
      <Button tone="quiet" onClick={startNew}>
        <Icon name="plus" /> New conversation
      </Button>
      {isStored ? null : (
        <p className="storage-warning" role="status">
          This browser keeps no more: its storage is full or switched off. Export what you need, and delete
          what you do not.
        </p>
      )}
      <ul className="stack">
        {summaries.map((summary) => (
          <ConversationItem
            key={summary.id}
            summary={summary}
            isOpen={summary.id === open.id}
            isUnfolded={summary.id === unfoldedId}
            onUnfold={() => setUnfoldedId(summary.id === unfoldedId ? null : summary.id)}
            onChosen={onChosen}
          />
        ))}
      </ul>
      <p className="soft">Kept in this browser.</p>
    </div>
  );
}

type ConversationItemProps = {
  summary: ConversationSummary;
  isOpen: boolean;
  isUnfolded: boolean;
  onUnfold: () => void;
  onChosen?: () => void;
};

function ConversationItem({ summary, isOpen, isUnfolded, onUnfold, onChosen }: ConversationItemProps) {
  const session = useChatSession();
  const panelId = useId();
  const moreButton = useRef<HTMLButtonElement>(null);
  const { id, title } = summary;

  function fold(): void {
    onUnfold();
    moreButton.current?.focus();
  }

  return (
    <li>
      <div className="conversation-row" data-open={isOpen || undefined}>
        <button
          type="button"
          className="conversation-name"
          aria-current={isOpen ? "true" : undefined}
          onClick={() => {
            session.openConversation(id);
            onChosen?.();
          }}
        >
          {summary.isAnswering ? <span className="spinner" role="img" aria-label="Being answered" /> : null}
          <span>{title}</span>
        </button>
        <IconButton
          buttonRef={moreButton}
          label={`More about ${title}`}
          icon="more"
          aria-expanded={isUnfolded}
          aria-controls={panelId}
          onClick={onUnfold}
        />
      </div>
      <div id={panelId} hidden={!isUnfolded}>
        {isUnfolded ? <ConversationMenu summary={summary} onDone={fold} /> : null}
      </div>
    </li>
  );
}

type ConversationMenuProps = { summary: ConversationSummary; onDone: () => void };

function ConversationMenu({ summary: { id, title }, onDone }: ConversationMenuProps) {
  const session = useChatSession();
  const [step, setStep] = useState<"menu" | "rename" | "delete">("menu");

  function download(format: "markdown" | "json"): void {
    const conversation = session.conversations.find(id);
    if (conversation) downloadConversation(conversation, format);
    onDone();
  }

  function rename(next: string | null): void {
    if (next !== null) session.rename(id, next);
    onDone();
  }

  function remove(): void {
    session.remove(id);
    session.announcer.say("The conversation is deleted.");
    focusComposer();
  }

  if (step === "rename") return <RenameForm title={title} onDone={rename} />;
  if (step === "delete") return <DeleteQuestion title={title} onKeep={onDone} onDelete={remove} />;
  const items = [
    ["Rename", () => setStep("rename")],
    ["Export as Markdown", () => download("markdown")],
    ["Export as JSON", () => download("json")],
    ["Delete", () => setStep("delete")],
  ] as const;
  return (
    <div className="stack conversation-menu">
      {items.map(([label, onClick]) => (
        <Button key={label} tone="quiet" onClick={onClick}>
          {label}
        </Button>
      ))}
    </div>
  );
}

function RenameForm({ title, onDone }: { title: string; onDone: (title: string | null) => void }) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);
  return (
    <form
      className="stack conversation-menu"
      onSubmit={(event) => {
        event.preventDefault();
        onDone(field.current?.value ?? null);
      }}
    >
      <input
        ref={field}
        className="input"
        aria-label="New name"
        defaultValue={title}
        maxLength={120}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          event.preventDefault();
          event.stopPropagation();
          onDone(null);
        }}
      />
      <Button type="submit">Save</Button>
      <Button tone="quiet" onClick={() => onDone(null)}>
        Cancel
      </Button>
    </form>
  );
}

type DeleteQuestionProps = { title: string; onKeep: () => void; onDelete: () => void };

function DeleteQuestion({ title, onKeep, onDelete }: DeleteQuestionProps) {
  const group = useRef<HTMLDivElement>(null);
  // The pressed button is gone, so the harmless one gets the focus.
  useEffect(() => group.current?.querySelector("button")?.focus(), []);
  return (
    <div ref={group} className="stack conversation-menu" role="group" aria-label={`Delete ${title}?`}>
      <p>Delete it for good? It cannot be brought back.</p>
      <Button tone="quiet" onClick={onKeep}>
        Keep
      </Button>
      <Button onClick={onDelete}>Delete</Button>
    </div>
  );
}
