import type { ReactNode } from "react";
import { markSubmission } from "../tables/table-specs";
import { Moment } from "./moment";
import { RowActions } from "./table-rows";

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
  const { id, tokenId, messageHash, handledAtMs } = submission;
  return (
    <>
      <blockquote className="operator-panel operator-message">{submission.message}</blockquote>
      <dl className="facts">
        <Fact name="Sent">
          <Moment atMs={submission.createdAtMs} /> UTC
        </Fact>
        <Fact name="Wallet">
          <code>{submission.address}</code>
        </Fact>
        <Fact name="Key">
          <code>{tokenId}</code> of <code>{submission.contractAddress}</code> on chain {submission.chainId}
        </Fact>
        <Fact name="Message signed">
          {messageHash === null ? "no, the signature was about the form alone" : <code>{messageHash}</code>}
        </Fact>
        <Fact name="Request">
          <code>{submission.requestId}</code>
        </Fact>
        <Fact name="Handled">
          {handledAtMs === null ? (
            "not yet"
          ) : (
            <>
              <Moment atMs={handledAtMs} /> UTC
            </>
          )}
        </Fact>
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

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}
