import { createHash, randomBytes } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { ServerBuild } from "@remix-run/node";
import type { Clock } from "~/platform/clock";
import { chooseCoding } from "./accepted-coding";
import type { Coding } from "./accepted-coding";
import type { HeaderTable } from "../answer.server";
import { patternOf } from "../direct-route.server";
import { endTogether } from "../end-together.server";
import { namesVersion } from "../entity-tag";
import type { RequestContext } from "../request-context.server";
import type { InlineSources } from "../security-headers.server";
import { stallMs } from "../write-answer.server";
import { packText } from "./pack-text.server";

/** What the module of a page exports as `shared` where the page is the same for everybody. */
export type SharedPage = {
  /** Every address of a route with parameters; another spelling of one is rendered for each request. */
  paths?: () => readonly string[];
  /** What the page shows that may change at run time; when it differs, the page is rendered again. */
  reads?: () => Promise<unknown>;
  /** Whether a request with these headers gets the shared page. */
  isFor?: (headers: IncomingHttpHeaders) => boolean;
};

type SharedPagesOptions = {
  routes: ServerBuild["routes"];
  service: Pick<RequestContext, "service" | "log">;
  renderPage: (context: RequestContext) => Promise<Response>;
  pageHeaders: (inline: InlineSources) => HeaderTable;
  clock: Clock;
};
type Exchange = { context: RequestContext; request: IncomingMessage; response: ServerResponse };
/** `copies`: a promise until the page is rendered. */
type Kept = {
  version: string | undefined;
  checkedAtMs: number;
  copies: Copies | Promise<Copies | null>;
};
type Copy = { etag: string; headers: readonly string[]; headersUnchanged: readonly string[]; body: Buffer };
type Copies = Readonly<Record<Coding, Copy>>;

/** How long what a page reads is cached. */
const recheckMs = 1000;

/**
 * Pages that are the same for everybody, rendered once by the framework for an anonymous request and kept.
 * Returns whether it has answered; the framework answers everything else.
 */
export function createSharedPages(options: SharedPagesOptions) {
  const { routes, service, renderPage, pageHeaders, clock } = options;
  const pages = findSharedPages(routes);
  const kept = new Map<string, Kept>();

  function findRecent(path: string): Kept | undefined {
    const known = kept.get(path);
    const ageMs = known ? clock() - known.checkedAtMs : -1;
    return ageMs >= 0 && ageMs < recheckMs ? known : undefined;
  }

  /** Null where rendering was refused or failed; the framework then answers the request itself. */
  async function getCopies(path: string, page: SharedPage): Promise<Copies | null> {
    const recent = findRecent(path);
    if (recent) return await recent.copies;
    const checkedAtMs = clock();
    const version = await readVersion(page);
    const found = kept.get(path);
    if (found && found.version === version) {
      found.checkedAtMs = checkedAtMs;
      return await found.copies;
    }
    const begun: Kept = { version, checkedAtMs, copies: makeCopies(path).catch(() => null) };
    kept.set(path, begun);
    const copies = await begun.copies;
    if (copies !== null) begun.copies = copies;
    const isLasting = copies !== null && (await readVersion(page)) === version;
    if (!isLasting && kept.get(path) === begun) kept.delete(path);
    return copies;
  }

  async function makeCopies(path: string): Promise<Copies | null> {
    const cspNonce = randomBytes(16).toString("hex");
    const answer = await renderPage(createStranger({ ...service, pathname: path, cspNonce }));
    if (answer.status !== 200 || answer.headers.has("set-cookie")) return null;
    const { html, inline } = takeNonce(await answer.text(), cspNonce);
    const digest = createHash("sha256").update(html).digest("base64url").slice(0, 22);
    const common = {
      ...pageHeaders(inline),
      "cache-control": "no-cache",
      ...Object.fromEntries(answer.headers),
      vary: "Accept-Encoding",
    };
    const toCopy = (body: Buffer, coding?: Coding): Copy => {
      const etag = `"${digest}${coding ? `-${coding}` : ""}"`;
      const length = { "content-length": String(body.byteLength) };
      return {
        etag,
        headers: toList({ ...common, etag, ...(coding && { "content-encoding": coding }), ...length }),
        headersUnchanged: toList({ ...common, etag }),
        // A slice of zlib's output would keep all 16 KiB of it alive.
        body: Buffer.from(body),
      };
    };
    const [gzipped, brotlied] = await Promise.all([
      packText(html, "gzip", "kept"),
      packText(html, "br", "kept"),
    ]);
    const identity = toCopy(Buffer.from(html));
    return { br: toCopy(brotlied, "br"), gzip: toCopy(gzipped, "gzip"), identity };
  }

  return function answerShared(exchange: Exchange): boolean | Promise<boolean> {
    const { context, request } = exchange;
    const path = request.url ?? "";
    const page = pages.get(path);
    if (!page || !["GET", "HEAD"].includes(context.method)) return false;
    if (page.isFor?.(context.headers) === false) return false;
    const recent = findRecent(path)?.copies;
    // The usual case. Awaiting a finished copy would cost each request several promises.
    if (recent && !(recent instanceof Promise)) return sendCopy(exchange, recent);
    return getCopies(path, page).then(
      (copies) => copies !== null && sendCopy(exchange, copies),
      () => false,
    );
  };
}

function sendCopy({ context, response }: Exchange, copies: Copies): true {
  const { etag, headers, headersUnchanged, body } = copies[chooseCoding(context.headers["accept-encoding"])];
  const { "if-none-match": ifNoneMatch } = context.headers;
  const isUnchanged = ifNoneMatch !== undefined && namesVersion(ifNoneMatch, etag);
  const list = ["x-request-id", context.requestId].concat(isUnchanged ? headersUnchanged : headers);
  response.writeHead(isUnchanged ? 304 : 200, list);
  endTogether(response, () => {
    if (isUnchanged || context.method === "HEAD") response.end();
    else response.end(body);
    // The client has not taken all of it yet; a stalled one is cut off.
    if (response.writableLength > 0) response.setTimeout(stallMs);
  });
  return true;
}

function toList(headers: HeaderTable): string[] {
  return Object.entries(headers).flat();
}

async function readVersion({ reads }: SharedPage): Promise<string | undefined> {
  return reads && JSON.stringify(await reads());
}

/** By address, as a request names it. */
function findSharedPages(routes: ServerBuild["routes"]): ReadonlyMap<string, SharedPage> {
  const found = Object.values(routes).flatMap((route) => {
    const shared = (route?.module as { shared?: SharedPage } | undefined)?.shared;
    if (!route || !shared) return [];
    const paths = shared.paths?.() ?? [patternOf(routes, route.id)];
    return paths.map((path) => [path, shared] as const);
  });
  return new Map(found);
}

/** An anonymous request, whose rendering no client can abort. */
function createStranger(
  given: Pick<RequestContext, "service" | "log" | "pathname" | "cspNonce">,
): RequestContext {
  return {
    ...given,
    requestId: "shared-page",
    method: "GET",
    searchParams: new URLSearchParams(),
    headers: {},
    hasSeveralAuthorizations: false,
    isFromTrustedProxy: false,
    clientId: "",
    host: null,
    isGone: false,
    signal: new AbortController().signal,
    readBody: () => Promise.resolve(Buffer.alloc(0)),
  };
}

/**
 * Replaces the rendering's nonce by hashes of the scripts that carry it. A script injected with somebody's text carries
 * no nonce, and stays untrusted.
 */
function takeNonce(html: string, nonce: string): { html: string; inline: InlineSources } {
  const listHashes = (element: string) =>
    [...html.matchAll(new RegExp(`<${element}\\b[^>]* nonce="${nonce}"[^>]*>([^]*?)</${element}>`, "g"))]
      .map(([, text = ""]) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`)
      .join(" ");
  return {
    html: html.replaceAll(` nonce="${nonce}"`, ""),
    inline: { scripts: listHashes("script"), styles: listHashes("style") },
  };
}
