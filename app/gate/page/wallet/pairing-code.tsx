import { useEffect, useRef } from "react";
import { encode } from "uqr";
import { Button } from "~/ui/button";
import { takeLostFocus } from "~/ui/lost-focus";
import { useCopy } from "~/ui/use-copy";

/** The light border that readers need. */
const quietModules = 4;

export function PairingCode({ uri }: { uri: string }) {
  const { outcome, copy } = useCopy(null);
  const isCopied = outcome === "copied";
  const code = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // It replaces the list, which had the focus.
    takeLostFocus(code.current);
  }, []);
  const { size, data } = encode(uri, { ecc: "L", border: quietModules });
  const path = data
    .flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
    .join("");
  return (
    <div className="stack pairing focus-place" ref={code} tabIndex={-1}>
      <p>Scan this code with your wallet, then confirm there.</p>
      <svg
        className="pairing-code"
        viewBox={`0 0 ${size} ${size}`}
        role="img"
        aria-label="Pairing code"
        shapeRendering="crispEdges"
      >
        {/* Cameras need dark on light in every theme. */}
        <rect className="pairing-light" width={size} height={size} fill="white" />
        <path className="pairing-dark" d={path} fill="black" />
      </svg>
      <div className="row">
        <a className="button button-quiet" href={uri}>
          Wallet on this device
        </a>
        <Button tone="quiet" onClick={() => void copy(uri)}>
          Copy the link
        </Button>
      </div>
      <p role="status" className={isCopied ? "soft" : "visually-hidden"}>
        {isCopied ? "Copied. Paste it where your wallet scans codes." : ""}
      </p>
    </div>
  );
}
