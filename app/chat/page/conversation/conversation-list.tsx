import { useId, useRef, useState } from "react";
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
          This browser can't store more: its storage is full or switched off. Export what you need, and delete
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
          {summary.isGrowing ? <span className="spinner" role="img" aria-label="Being answered" /> : null}
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
  function download(format: "markdown" | "json"): void {
    const conversation = session.conversations.find(id);
    if (conversation) downloadConversation(conversation, format);
    onDone();
  }

  function rename(): void {
    const next = window.prompt("New name", title);
    if (next !== null) session.rename(id, next);
    onDone();
  }

  function remove(): void {
    if (!window.confirm(`Delete "${title}"? You can't undo this.`)) return onDone();
    session.remove(id);
    session.announcer.say("The conversation is deleted.");
    focusComposer();
  }

  const items = [
    ["Rename", rename],
    ["Export as Markdown", () => download("markdown")],
    ["Export as JSON", () => download("json")],
    ["Delete", remove],
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
