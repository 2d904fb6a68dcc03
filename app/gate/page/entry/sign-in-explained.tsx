import { legacyEnvelopeText } from "~/gate/proofs/legacy-envelope";
import { Facts } from "~/ui/facts";
import { previewMoment, signInPreview } from "./sign-in-message";
import type { SignInText } from "./sign-in-message";

/** `signsSiwe`: where Ethereum sign-in is off, the wallet signs the older envelope. */
type SignInExplainedProps = Omit<SignInText, "origin"> & { signsSiwe: boolean };

export function SignInExplained({ signsSiwe, ...signed }: SignInExplainedProps) {
  const { origin, host } = window.location;
  const { tokenId, chainId } = signed;
  const legacy = { tokenId, domain: host, path: "/api/gate-access", method: "POST", chainId, timestamp: 0 };
  const text = signsSiwe
    ? signInPreview({ ...signed, origin })
    : legacyEnvelopeText(legacy).replace(/Timestamp: 0$/, `Timestamp: ${previewMoment}`);
  return (
    <details className="unfold explained">
      <summary>What you sign, word for word</summary>
      <Facts
        rows={{
          "You sign": (
            <>
              a message that names this site (<strong>{host}</strong>), your address and key #{tokenId}, for
              this one time
            </>
          ),
          "It costs": "nothing: no transaction, no fee, and it can move or allow nothing",
          Then: "the server reads on the chain that the key is yours, the room opens, and you stay signed in here",
        }}
      />
      <pre className="code">{text}</pre>
    </details>
  );
}
