import * as z from "zod";
import type { HeaderDescription } from "~/platform/openapi/answer-headers";
import type { ApiRegistry, OperationDescription } from "~/platform/openapi/api-registry";
import type { Contents } from "~/platform/openapi/problem-answers";

const tag = "Door";

export function describeDoor(api: ApiRegistry): void {
  api.addTag({
    name: tag,
    description:
      "Sites that know nothing of keys, behind this gate: a site's proxy asks about each request, and gives `/.latchkey/` on the site to this gate.",
  });
  api.addSecurityScheme("doorCookie", {
    type: "apiKey",
    in: "cookie",
    name: "__Host-latchkey-door",
    description:
      "The sign-in of one site, which the way in sets there. On loopback names without TLS it is `latchkey-door-<port>`.",
  });
  for (const operation of [askDoorOperation, startSiteOperation, enterSiteOperation, leaveSiteOperation]) {
    api.describe(operation);
  }
}

function header(description: string, example: string, isAlways = true): HeaderDescription {
  return { description, required: isAlways, schema: { type: "string" }, example };
}

const wayIn = header(
  "The way in, on the site itself.",
  "https://wiki.example.com/.latchkey/start?to=/page",
  false,
);
const cookieTakenBack = header(
  "Takes the site's cookie back, where it is good for nothing.",
  "__Host-latchkey-door=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure",
  false,
);

function forwarded(description: string, example: string) {
  return z.string().optional().meta({ description, param: { example } });
}

export const askDoorOperation: OperationDescription = {
  method: "get",
  path: "/api/door",
  operationId: "askDoor",
  tag,
  summary: "Ask whether a visitor of a site may come in",
  description:
    "For the proxy in front of a site, which must be trusted by `TRUST_PROXY`. What the visitor asked for stands in `X-Forwarded-Proto`, `-Host`, `-Uri` and `-Method`, or in `X-Original-URL` and `X-Original-Method`; where both are sent, they must agree. The visitor's own headers come along. Nothing of this answers 200 but a visitor who holds a key of the site.",
  limit: "door",
  security: ["doorCookie", "none"],
  parameters: {
    query: z.object({
      answer: z
        .literal("status")
        .optional()
        .meta({
          description: "401 with `Location` in place of 302, for proxies that read nothing but the status.",
          param: { example: "status" },
        }),
    }),
    headers: z.object({
      "X-Forwarded-Proto": forwarded("`https`, or `http` for loopback names.", "https"),
      "X-Forwarded-Host": forwarded("The site.", "wiki.example.com"),
      "X-Forwarded-Uri": forwarded("Path and query.", "/page?id=1"),
      "X-Forwarded-Method": forwarded("The visitor's method.", "GET"),
      "X-Original-URL": forwarded("The whole address.", "https://wiki.example.com/page?id=1"),
      "X-Original-Method": forwarded("The visitor's method.", "GET"),
    }),
  },
  refusals: ["door-closed", "door-not-configured", "chain-unavailable"],
  refusalHeaders: { 401: { Location: wayIn, "Set-Cookie": cookieTakenBack } },
  answers: {
    200: {
      description: "The visitor may come in. There is no body.",
      headers: ["Cache-Control"],
      ownHeaders: {
        "Remote-User": header(
          "The wallet that signed in, in lower case.",
          "0x5fbdb2315678afecb367f032d93f642f64180aa3",
        ),
        "Remote-Groups": header("The name of the key's kind.", "founder"),
        "X-Latchkey-Key": header("The key: the name of its kind, and its id.", "founder:7"),
        "X-Latchkey-Vault": header(
          "The wallet that holds the key, where the visitor is its delegate.",
          "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
          false,
        ),
        Vary: header("The answer is the cookie's.", "Cookie"),
      },
    },
    302: {
      description: "The visitor asked for a page and is not signed in on the site: to the way in.",
      headers: ["Cache-Control"],
      ownHeaders: { Location: { ...wayIn, required: true }, "Set-Cookie": cookieTakenBack },
    },
  },
};

const pageContent: Contents = {
  "text/html": { schema: { type: "string" }, example: "<!doctype html><title>Not found</title>" },
};

const toParameter = z
  .string()
  .optional()
  .meta({ description: "A path on the site. Default: `/`.", param: { example: "/page" } });

type SiteOperation = Pick<
  OperationDescription,
  "path" | "operationId" | "summary" | "description" | "parameters" | "limit"
> & { location: string; cookie: HeaderDescription; more?: OperationDescription["answers"] };

const ofSite = "For the site's host alone.";

/** On a site's own host, whose proxy forwards these paths to this gate. */
function siteOperation({ location, cookie, more = {}, ...operation }: SiteOperation): OperationDescription {
  return {
    method: "get",
    tag,
    security: ["none"],
    refusals: ["not-found"],
    ...operation,
    answers: {
      302: {
        description: "On to the next step.",
        headers: ["Cache-Control"],
        ownHeaders: {
          Location: header("The next step.", location),
          "Set-Cookie": cookie,
        },
      },
      ...more,
    },
  };
}

export const startSiteOperation = siteOperation({
  path: "/.latchkey/start",
  operationId: "startSite",
  summary: "Begin the way into a site",
  description:
    "On the site's host. Gives the browser a cookie by which the site knows it again, and leads to the gate.",
  parameters: { query: z.object({ to: toParameter }) },
  location: "https://gate.example/gate?door=https%3A%2F%2Fwiki.example.com%2Fpage&start=...",
  cookie: header(
    ofSite,
    "__Host-latchkey-start=AAAAAAAAAAAAAAAAAAAAAA; Path=/; Max-Age=600; HttpOnly; SameSite=Lax; Secure",
  ),
});

export const enterSiteOperation = siteOperation({
  path: "/.latchkey/enter",
  operationId: "enterSite",
  limit: "door-enter",
  summary: "Come back into a site",
  description:
    "On the site's host. The code of `POST /session` becomes the site's cookie, once, within a minute, and in the browser that began. A code that is not good is a page with the way to the start.",
  parameters: {
    query: z.object({
      code: z
        .string()
        .optional()
        .meta({ description: "From the gate.", param: { example: "AAAAAAAAAAAAAAAAAAAAAA" } }),
      to: toParameter,
    }),
  },
  location: "/page",
  cookie: header(ofSite, "__Host-latchkey-door=eyJ...; Path=/; Max-Age=900; HttpOnly; SameSite=Lax; Secure"),
  more: {
    400: { description: "The code is not good here; a page says so.", content: pageContent },
  },
});

export const leaveSiteOperation = siteOperation({
  path: "/.latchkey/leave",
  operationId: "leaveSite",
  summary: "Leave a site",
  description:
    "On the site's host. Takes the site's cookie back from whoever opens it themselves, and leads to the gate.",
  location: "https://gate.example/gate?left=wiki.example.com",
  cookie: header(
    `${ofSite} Only where a browser opens it as a page.`,
    "__Host-latchkey-door=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure",
    false,
  ),
});
