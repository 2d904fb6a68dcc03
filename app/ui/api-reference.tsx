import { useEffect, useRef, useState } from "react";
import { Notice } from "./notice";

type ApiReferenceProps = { documentUrl: string };

/** Shows an OpenAPI document and lets its operations be tried, on this very origin. */
export function ApiReference({ documentUrl }: ApiReferenceProps) {
  const holder = useRef<HTMLDivElement>(null);
  const [state, setState] = useState<"loading" | "shown" | "failed">("loading");
  useDarkStyles();

  useEffect(() => {
    const leaving = new AbortController();
    showReference({ documentUrl, holder: holder.current!, signal: leaving.signal }).then(
      () => setState("shown"),
      () => {
        if (!leaving.signal.aborted) setState("failed");
      },
    );
    return () => leaving.abort();
  }, [documentUrl]);

  return (
    <div className="api-reference">
      {state === "loading" ? <p role="status">Loading the reference …</p> : null}
      {state === "failed" ? (
        <Notice tone="problem" title="The reference could not be loaded">
          <p>
            Reload the page to try again, or read <a href={documentUrl}>the document</a> itself.
          </p>
        </Notice>
      ) : null}
      <div ref={holder} />
    </div>
  );
}

/** The viewer is larger than all the rest of the site, so only this page ever asks for it. */
async function showReference({
  documentUrl,
  holder,
  signal,
}: {
  documentUrl: string;
  holder: HTMLElement;
  signal: AbortSignal;
}): Promise<void> {
  const [{ default: showSwaggerUi }, response] = await Promise.all([
    import("swagger-ui-dist/swagger-ui-es-bundle.js"),
    fetch(documentUrl, { signal }),
  ]);
  if (!response.ok) throw new Error(`The document was answered with ${response.status}.`);
  const document = (await response.json()) as object;
  signal.throwIfAborted();
  const domNode = holder.ownerDocument.createElement("div");
  holder.replaceChildren(domNode);
  showSwaggerUi({
    domNode,
    // Somebody may be here under another of the service's names; the page may only call where it came from.
    spec: { ...document, servers: [{ url: window.location.origin }] },
    docExpansion: "list",
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    deepLinking: true,
    validatorUrl: null,
  });
}

/** The viewer's dark styles hang on a class of the document, not on what the visitor prefers. */
function useDarkStyles(): void {
  useEffect(() => {
    const preference = window.matchMedia("(prefers-color-scheme: dark)");
    const { classList } = document.documentElement;
    const follow = () => classList.toggle("dark-mode", preference.matches);
    follow();
    preference.addEventListener("change", follow);
    return () => {
      preference.removeEventListener("change", follow);
      classList.remove("dark-mode");
    };
  }, []);
}
