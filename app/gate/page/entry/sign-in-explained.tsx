import { legacyEnvelopeText } from "~/gate/proofs/legacy-envelope";
import type { LegacyEnvelope } from "~/gate/proofs/legacy-envelope";
import { Facts } from "~/ui/facts";
import type { SignedKey } from "../kinds/signed-key";
import { previewMoment, signInPreview } from "./sign-in-message";

/** `signsSiwe`: where Ethereum sign-in is off, the wallet signs the older envelope. */
type SignInExplainedProps = { address: string; signedKey: SignedKey; signsSiwe: boolean };

export function SignInExplained({ address, signedKey, signsSiwe }: SignInExplainedProps) {
  const { origin, host } = window.location;
  const { kindName, isNamed, tokenId, chainId, words, opensRoom } = signedKey;
  const envelope: LegacyEnvelope = {
    tokenId,
    domain: host,
    path: "/api/gate-access",
    method: "POST",
    chainId,
    timestamp: 0,
    keyName: isNamed ? kindName : undefined,
  };
  const text = signsSiwe
    ? signInPreview({ address, key: signedKey, origin })
    : legacyEnvelopeText(envelope).replace(/^Timestamp: 0$/m, `Timestamp: ${previewMoment}`);
  return (
    <details className="unfold explained">
      <summary>What you sign, word for word</summary>
      <Facts
        rows={{
          "You sign": (
            <>
              a message that names this site (<strong>{host}</strong>), your address and {words}, for this one
              time
            </>
          ),
          "It costs": "nothing: no transaction, no fee, and it can move or allow nothing",
          Then: `the server reads on the chain that the key is yours, ${opensRoom ? "the room opens, " : ""}and you stay signed in here`,
        }}
      />
      <pre className="code">{text}</pre>
    </details>
  );
}
