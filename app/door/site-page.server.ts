import { createHash } from "node:crypto";
import { answerProblem, answerText } from "~/platform/http/answer.server";
import type { RefusedRequest } from "~/platform/http/route.server";
import { startPath, toReturnPath } from "./door-address";

type SitePage = {
  status: number;
  title: string;
  text: string;
  /** `href`: a path on the site itself. */
  way: { href: string; label: string };
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

/** A page of ours on somebody else's site: it loads nothing, as the site's own files are behind the door. */
export function answerSitePage({ status, title, text, way, headers }: SitePage): Response {
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
<p><a href="${escape(way.href)}">${escape(way.label)}</a></p>
</main>
</body>
</html>
`;
  return answerText({
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
export function answerSiteRefusal(refused: RefusedRequest): Response {
  if (!/\btext\/html\b/i.test(refused.headers.accept ?? "")) return answerProblem(refused);
  const { status, title, detail, headers } = refused.refusal;
  const to = refused.searchParams?.get("to") ?? null;
  return answerSitePage({
    status,
    title,
    text: detail,
    headers,
    way:
      status === 404 || to === null
        ? { href: "/", label: "Back to the site" }
        : { href: startPath(toReturnPath(to)), label: "Try again" },
  });
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`);
}
