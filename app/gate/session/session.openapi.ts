import * as z from "zod";
import type { ResponseDescription, ApiRegistry, OperationDescription } from "~/platform/openapi/api-registry";
import { respondsJson, jsonContent } from "~/platform/openapi/json-content";
import { admissionSchema } from "../admission/gate.openapi";
import { exampleAdmission, exampleClaims } from "../admission/gate-examples";
import { notHeldProblemSchema } from "../kinds/keys.openapi";
import { sessionCookieName } from "../tokens/token-locations";
import { goToSchema, sessionBodySchema, signedInSchema, signedOutSchema } from "./session.schema";
import type { SignedIn, SignedOut } from "./session.schema";

const tag = "Session";

const exampleSignedIn: SignedIn = {
  signedIn: true,
  tokenId: exampleClaims.tokenId,
  address: exampleClaims.sub,
  expiresAt: "2026-01-15T09:45:02.000Z",
  secondsLeft: 871,
  renewableUntil: "2026-01-16T09:30:00.000Z",
  isRenewable: true,
};
const exampleEnded: SignedOut = {
  signedIn: false,
  ended: {
    type: "https://gate.example/problems/you-do-not-own-this-token",
    title: "You do not own this token",
    status: 403,
    detail: "This key is held by another wallet. Check the token id and the wallet you signed with.",
  },
};

const ownHeaders: NonNullable<ResponseDescription["ownHeaders"]> = {
  "Set-Cookie": {
    description:
      "`access_token`, for this whole site: `HttpOnly`, `SameSite=Strict`, `Secure` where the site is served over HTTPS, and gone when its token ends.",
    required: false,
    schema: { type: "string" },
    example: "access_token=eyJ...; Path=/; Max-Age=900; HttpOnly; SameSite=Strict; Secure",
  },
};

export function describeSession(api: ApiRegistry): void {
  api.addTag({
    name: tag,
    description:
      "The access token in a cookie that no script can read, for the gate's own pages. Requests from other sites are refused.",
  });
  api.addSecurityScheme("sessionCookie", {
    type: "apiKey",
    in: "cookie",
    name: sessionCookieName,
    description:
      "The same access token in the cookie of a signed-in browser, which `POST /session` sets. It counts for requests of this gate's own pages only.",
  });
  for (const operation of Object.values(sessionOperations)) api.describe(operation);
}

const getSession: OperationDescription = {
  method: "get",
  path: "/session",
  operationId: "getSession",
  tag,
  summary: "Ask whether this browser is signed in",
  description:
    "Asks the chain too: a key that has left the wallet or was used up has ended the session, and the answer says so. It changes no cookie.",
  limit: "session",
  security: ["sessionCookie", "none"],
  refusals: ["cross-site-request", "chain-unavailable"],
  answers: respondsJson("Signed in, or not and why.", {
    schema: z.union([signedInSchema, signedOutSchema]).meta({ id: "Session" }),
    examples: {
      signedIn: { summary: "Signed in", value: exampleSignedIn },
      ended: { summary: "The key has left the wallet", value: exampleEnded },
      none: { summary: "No cookie", value: { signedIn: false } },
    },
  }),
};

const keepSession: OperationDescription = {
  method: "post",
  path: "/session",
  operationId: "keepSession",
  tag,
  summary: "Begin, renew or use the session",
  description:
    "With an access token in the Authorization header and no body, that token becomes the session. With `renew` the token in the cookie is replaced by a younger one, on the same signature, as long as the key is held and unused, and no further than the operator's `SESSION_MAX_SECONDS` since the signature, nor than an `Expiration Time` that was signed. A renewal for less than 300 seconds is refused with 401. So is a token whose key was used up or has left the wallet, which `open` alone answers with 403, as the gate does. With `open` the answer is that of `POST /api/gate-access`. With `door` and `start` the answer is where the browser goes on to, on a site that this gate opens, with a code that is good once, and the token in the cookie is renewed as far as a renewal may; a site opens to its own kinds of keys, and to whoever meets a membership that opens it. Each asks the chain.",
  limit: "session-enter",
  maxBodyBytes: 12 * 1024,
  security: ["bearerAuth", "sessionCookie"],
  body: {
    required: false,
    content: jsonContent({
      schema: sessionBodySchema.meta({ id: "SessionRequest" }),
      examples: {
        renew: { summary: "A younger token", value: { renew: true } },
        open: { summary: "What the key opens", value: { open: true } },
        door: {
          summary: "On to a site",
          value: { door: "https://wiki.example.com/page", start: "A".repeat(43) },
        },
      },
    }),
  },
  refusals: [
    "cross-site-request",
    "authentication-failed",
    "you-do-not-own-this-token",
    "this-token-has-already-been-used",
    "not-opened-by-this-key",
    "site-cookie-not-kept",
    "chain-unavailable",
  ],
  problems: { 403: notHeldProblemSchema },
  answers: respondsJson(
    "The session, what the key opens, or where to go on to.",
    {
      schema: z.union([signedInSchema, admissionSchema, goToSchema]).meta({ id: "SessionKept" }),
      examples: {
        kept: { summary: "Begun or renewed", value: exampleSignedIn },
        opened: { summary: "Opened", value: exampleAdmission },
        goTo: {
          summary: "On to a site",
          value: { goTo: "https://wiki.example.com/.latchkey/enter?code=AAAAAAAAAAAAAAAAAAAAAA&to=%2Fpage" },
        },
      },
    },
    { ownHeaders },
  ),
};

const endSession: OperationDescription = {
  method: "delete",
  path: "/session",
  operationId: "endSession",
  tag,
  summary: "Sign out",
  description:
    "Makes this browser forget the token, whatever became of it. The token itself ends with its time, or with its key; where there are sites behind the door, all that goes back to its signature ends now, on every site. Answers that the session began and that are under way are stopped.",
  limit: "session",
  security: ["sessionCookie", "none"],
  refusals: ["cross-site-request"],
  answers: respondsJson(
    "Signed out.",
    { schema: signedOutSchema, example: { signedIn: false } },
    { ownHeaders },
  ),
};

export const sessionOperations = { getSession, keepSession, endSession };
