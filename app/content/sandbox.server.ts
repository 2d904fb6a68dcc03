import { messageTypes, roomClassName } from "./sandbox-protocol";

/**
 * `sandbox` in the header makes the address powerless even if it is opened by itself. The header can't stop the frame from
 * navigating itself, so the embedding page needs `frame-src 'self'`.
 */
const sandboxPolicy = [
  "default-src 'none'",
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  "img-src data: blob:",
  "media-src data: blob:",
  "font-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  "sandbox allow-scripts",
].join("; ");

const maxAgeSeconds = 3600;

/** The frame of the operator's script. It has nothing gated: the page posts script and styles, which become text nodes. */
export function sandboxDocument(): { html: string; headers: Record<string, string> } {
  return {
    html: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Room</title>
<style>html, body { margin: 0; background: transparent; }</style>
</head>
<body class="${roomClassName}">
<script>${frameScript}</script>
</body>
</html>
`,
    headers: {
      "Cache-Control": `public, max-age=${maxAgeSeconds}`,
      "Content-Security-Policy": sandboxPolicy,
      "Content-Type": "text/html; charset=utf-8",
      "Referrer-Policy": "no-referrer",
      "X-Content-Type-Options": "nosniff",
    },
  };
}

/** Accepts one message, from the embedding page. `location.origin` is the real origin, although the document's is opaque. */
const frameScript = `
(function () {
  "use strict";
  var page = window.parent;
  var started = false;

  function tell(message) {
    page.postMessage(message, location.origin);
  }

  function tellHeight() {
    tell({ type: "${messageTypes.height}", heightPx: Math.ceil(document.documentElement.getBoundingClientRect().height) });
  }

  function add(parent, tagName, text) {
    var element = document.createElement(tagName);
    element.textContent = text;
    parent.appendChild(element);
  }

  window.addEventListener("message", function (event) {
    var data = event.data;
    if (started || event.source !== page || event.origin !== location.origin) return;
    if (typeof data !== "object" || data === null || data.type !== "${messageTypes.run}") return;
    if (typeof data.script !== "string" || typeof data.styles !== "string") return;
    started = true;
    add(document.head, "style", data.styles);
    add(document.body, "script", data.script);
    tellHeight();
    new ResizeObserver(tellHeight).observe(document.documentElement);
  });

  window.addEventListener("error", function (event) {
    tell({ type: "${messageTypes.failed}", reason: String(event.message) });
  });

  if (page !== window) tell({ type: "${messageTypes.ready}" });
})();
`;
