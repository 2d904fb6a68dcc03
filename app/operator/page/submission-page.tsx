import { Moment } from "./cells";
import { markSubmission } from "../tables/table-specs";
import { RowActions } from "./table-actions";

export type SubmissionView = {
  id: string;
  tokenId: string;
  address: string;
  message: string;
  messageHash: string | null;
  requestId: string;
  contractAddress: string;
  chainId: string;
  createdAtMs: number;
  handledAtMs: number | null;
};

export function SubmissionPage({ submission }: { submission: SubmissionView }) {
  const { id, tokenId, address, message, messageHash, requestId, handledAtMs } = submission;
  return (
    <>
      <blockquote className="operator-message">{message}</blockquote>
      <dl className="facts">
        <dt>Sent</dt>
        <dd>
          <Moment atMs={submission.createdAtMs} /> UTC
        </dd>
        <dt>Wallet</dt>
        <dd>
          <code>{address}</code>
        </dd>
        <dt>Key</dt>
        <dd>
          <code>{tokenId}</code> of <code>{submission.contractAddress}</code> on chain {submission.chainId}
        </dd>
        <dt>Message signed</dt>
        <dd>
          {messageHash === null ? "no, the signature was about the form alone" : <code>{messageHash}</code>}
        </dd>
        <dt>Request</dt>
        <dd>
          <code>{requestId}</code>
        </dd>
        <dt>Handled</dt>
        <dd>
          {handledAtMs === null ? (
            "not yet"
          ) : (
            <>
              <Moment atMs={handledAtMs} /> UTC
            </>
          )}
        </dd>
      </dl>
      <RowActions
        actions={[
          markSubmission(id, handledAtMs === null, `key ${tokenId}`),
          { label: "All submissions", name: "All submissions", href: "/operator/submissions" },
        ]}
        back=""
      />
    </>
  );
}
