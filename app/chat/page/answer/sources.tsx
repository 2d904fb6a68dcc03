import { Dialog } from "~/ui/dialog";
import { Icon } from "../icon";
import { MessageMarkdown } from "./message-markdown";
import type { Citation } from "../conversation/passages";

type SourcesProps = { citations: readonly Citation[]; onOpen: (citation: Citation) => void };

export function Sources({ citations, onOpen }: SourcesProps) {
  if (citations.length === 0) return null;
  return (
    <div className="sources" role="group" aria-label="Sources">
      <ol>
        {citations.map((citation) => (
          <li key={citation.id}>
            <button type="button" className="source-chip" onClick={() => onOpen(citation)}>
              <span className="source-number" aria-hidden="true">
                {citation.number}
              </span>
              <span className="source-words">
                <span className="source-title">{citation.heading ?? citation.title}</span>
                <span className="source-page">{citation.heading ? citation.title : citation.source}</span>
              </span>
            </button>
          </li>
        ))}
      </ol>
    </div>
  );
}

export function PassageDialog({ citation, onClose }: { citation: Citation; onClose: () => void }) {
  return (
    <Dialog title={citation.heading ?? citation.title} onClose={onClose}>
      <p className="passage-origin">
        <Icon name="page" /> {citation.title} <code>{citation.source}</code>
      </p>
      <div className="passage-text">
        <MessageMarkdown text={citation.text} />
      </div>
    </Dialog>
  );
}
