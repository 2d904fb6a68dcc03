import { Dialog } from "~/ui/dialog";
import { Icon } from "../icon";
import { MessageMarkdown } from "./message-markdown";
import type { Citation, Passage } from "../conversation/passages";

type SourcesProps = { citations: readonly Citation[]; onOpen: (passage: Passage) => void };

export function Sources({ citations, onOpen }: SourcesProps) {
  if (citations.length === 0) return null;
  return (
    <div className="sources" role="group" aria-label="Sources">
      <ol className="row">
        {citations.map((citation) => (
          <li key={citation.id}>
            <button type="button" className="source-chip" onClick={() => onOpen(citation)}>
              <span className="source-number" aria-hidden="true">
                {citation.number}
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

export function PassageDialog({ passage, onClose }: PassageDialogProps) {
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
