import { Facts } from "~/ui/facts";
import { markSubmission } from "../tables/table-specs";
import { Moment } from "./moment";
import { RowActions } from "./table-rows";

type SubmissionView = {
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
      <Facts
        rows={{
          Sent: <Utc atMs={submission.createdAtMs} />,
          Wallet: <code>{submission.address}</code>,
          Key: (
            <>
              <code>{tokenId}</code> of <code>{submission.contractAddress}</code> on chain{" "}
              {submission.chainId}
            </>
          ),
          "Message signed":
            messageHash === null ? "no, the signature was about the form alone" : <code>{messageHash}</code>,
          Request: <code>{submission.requestId}</code>,
          Handled: handledAtMs === null ? "not yet" : <Utc atMs={handledAtMs} />,
        }}
      />
      <RowActions
        actions={[
          markSubmission(id, handledAtMs === null, `key ${tokenId}`),
          { label: "All submissions", name: "All submissions", href: "/operator/submissions" },
        ]}
        path="/operator/submissions"
      />
    </>
  );
}

function Utc({ atMs }: { atMs: number }) {
  return (
    <>
      <Moment atMs={atMs} /> UTC
    </>
  );
}
