import { createHash } from "node:crypto";
import { addHeaders, problemResponse, textResponse } from "./responses.server";

type PlainPage = {
  status: number;
  title: string;
  text: string;
  way?: undefined | { href: string; label: string };
  headers?: Readonly<Record<string, string>>;
};

const style = `:root { color-scheme: light dark; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; font: 1.05rem/1.6 system-ui, sans-serif; }
main { max-width: 34rem; padding: 2rem; }
h1 { font-size: 1.5rem; line-height: 1.3; }
a { display: inline-block; padding: 0.6rem 1.2rem; border: 1px solid; border-radius: 0.4rem; color: inherit; text-decoration: none; }
a:focus-visible { outline: 3px solid; outline-offset: 3px; }`;

const styleHash = createHash("sha256").update(style).digest("base64");
const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** Needs no rendering and loads nothing: a site's own files are behind the door too. */
export function plainPageResponse({ status, title, text, way, headers }: PlainPage): Response {
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${escape(title)}</h1>
<p>${escape(text)}</p>
${way ? `<p><a href="${escape(way.href)}">${escape(way.label)}</a></p>` : ""}
</main>
</body>
</html>
`;
  return textResponse({
    status,
    text: html,
    contentType: "text/html; charset=utf-8",
    headers: {
      ...headers,
      "Cache-Control": "no-store",
      "Content-Security-Policy": policy,
      "Referrer-Policy": "no-referrer",
      "X-Robots-Tag": "noindex",
    },
  });
}

/** A page for a browser, Problem Details for a program. */
export function pageRefusalResponse(
  accept = "",
  refused: Parameters<typeof problemResponse>[0],
  way?: PlainPage["way"],
): Response {
  const { status, title, detail: text, headers, slug } = refused.refusal;
  const isBrowser = /\btext\/html\b/i.test(accept);
  const response = isBrowser
    ? plainPageResponse({ status, title, text, headers, way })
    : problemResponse(refused);
  return addHeaders(response, { "X-Problem": slug });
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`);
}
