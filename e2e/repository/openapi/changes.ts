/** JSON Pointers (RFC 6901) into the description. `*` matches one step. `now` is a digest of the current value. */
export type ApiChange = { why: string; at: readonly string[]; now: string };

const rateLimitHeaders = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "RateLimit", "RateLimit-Policy"];

function headersAt(...responses: string[]): string[] {
  return responses.flatMap((response) => rateLimitHeaders.map((name) => `${response}/headers/${name}`));
}

/** All differences between the description and `baseline.json`, which is from commit 8b8aee8. */
export const apiChanges: readonly ApiChange[] = [
  {
    why: "Every refusal names its slug in the header X-Problem, that of a media range too.",
    at: ["/components/headers/X-Problem", "/paths/*/*/responses/*/headers/X-Problem"],
    now: "61bc07f91f3a",
  },
  {
    why: "GET /api/models lists the models that a chat may name.",
    at: [
      "/paths/~1api~1models",
      "/components/schemas/Models",
      "/components/schemas/ChatRequest/properties/model/description",
    ],
    now: "34da10a627fd",
  },
  {
    why: "The key of an access token is looked up at each call of chat, speech, tools and quota.",
    at: [
      "/paths/*/*/responses/503/content/application~1json/examples/chain-unavailable",
      ...["chat/post", "tts/post", "quota/get", "mcp/post"].flatMap((operation) => [
        `/paths/~1api~1${operation}/responses/401/description`,
        `/paths/~1api~1${operation}/responses/503/description`,
      ]),
    ],
    now: "6bb1e9c226f8",
  },
  {
    why: "Callers are counted before they are judged, so that these refusals tell the limit too; the quota has one.",
    at: [
      "/paths/~1api~1quota/get/description",
      "/paths/~1api~1quota/get/responses/429",
      ...headersAt("/paths/~1api~1quota/get/responses/200"),
      ...["chat/post", "tts/post", "quota/get"].flatMap((operation) =>
        headersAt(...["401", "403", "503"].map((status) => `/paths/~1api~1${operation}/responses/${status}`)),
      ),
    ],
    now: "38ad123432e2",
  },
  {
    why: "What is reserved for answers under way is told from what is used up; busy speech is 429.",
    at: [
      "/components/schemas/ChatError/properties/details/description",
      "/paths/*/*/responses/429/content/application~1json/examples/quota-reserved",
      "/paths/*/*/responses/*/content/application~1json/examples/speech-busy",
      "/paths/~1api~1chat/post/responses/429/description",
      "/paths/~1api~1tts/post/responses/429/description",
      "/paths/~1api~1tts/post/responses/200/headers/X-Quota-Remaining/description",
    ],
    now: "a0ced7b157c7",
  },
  {
    why: "The secret of a reset is described in every place where it is looked for.",
    at: [
      "/components/securitySchemes/quotaResetHeader",
      "/components/securitySchemes/quotaResetAiHeader",
      "/components/securitySchemes/quotaResetQuery",
      "/components/schemas/ResetAllQuotas/properties/secret",
      "/components/schemas/ResetQuotasOfKeys/properties/secret",
      "/components/schemas/ResetQuotasOfWallets/properties/secret",
      "/paths/~1api~1quota-reset/post/security",
    ],
    now: "02cdbba6a7cd",
  },
  {
    why: "A key that came to its wallet a moment ago is not used up yet, nor is one whose wallet isn't deployed.",
    at: [
      "/components/examples/holding-too-recent",
      "/components/examples/wallet-not-deployed",
      "/paths/~1api~1form-submission-gate/post/responses/409",
    ],
    now: "94b65982929b",
  },
  {
    why: "Readiness says how long ago transfers of keys were read.",
    at: [
      "/components/schemas/Readiness/properties/dependencies/properties/watcher",
      "/paths/~1readyz/get/description",
      "/paths/~1readyz/get/responses/*/content/application~1json/example/dependencies/watcher",
    ],
    now: "8f1c5372e550",
  },
  {
    why: "A session that goes on to a site is renewed, and its token lives no longer than others.",
    at: ["/paths/~1session/post/description"],
    now: "2e82ee7f4d76",
  },
  {
    why: "Bodies and lists of errors have bounds, which are told with everything else that operations promise.",
    at: [
      "/components/schemas/Problem/properties/errors/description",
      "/components/schemas/Problem/properties/errors/maxItems",
      "/components/schemas/ChatError/properties/errors/description",
      "/components/schemas/ChatMessage/properties/content/oneOf/1/maxItems",
      "/components/schemas/ChatMessage/properties/parts/maxItems",
      "/components/schemas/SiweSignIn/properties/message/maxLength",
      "/paths/*/post/description",
    ],
    now: "4a867267383b",
  },
  {
    why: "A gate may have several kinds of keys, memberships without a token and delegates among them; a kind need not open the room.",
    at: [
      "/components/examples/not-opened-by-this-key",
      "/components/schemas/*/properties/key",
      "/components/schemas/*/properties/vault",
      "/components/schemas/SiweSignIn/required",
      "/components/schemas/LegacySignIn/required",
      "/components/schemas/FormSubmission/required",
      "/paths/~1api~1form-submission-gate/post/responses/403/content/application~1problem+json/examples/not-opened-by-this-key",
      "/paths/~1api~1form-submission-gate/post/responses/403/description",
      "/paths/~1api~1token-status~1{tokenId}/get/description",
      "/paths/~1api~1token-status~1{tokenId}/get/parameters",
    ],
    now: "5e9d7a649505",
  },
  {
    why: "A contract wallet may sign with no bytes at all; a timestamp may be in seconds.",
    at: [
      "/components/schemas/SiweSignIn/properties/signature/pattern",
      "/components/schemas/LegacySignIn/properties/signature/pattern",
      "/components/schemas/FormSubmission/properties/signature/pattern",
      "/components/schemas/LegacySignIn/properties/timestamp/description",
      "/components/schemas/FormSubmission/properties/timestamp/description",
    ],
    now: "f604dbbc0973",
  },
  {
    why: "An access token names the contract, and a session ends some minutes before its signature does.",
    at: [
      "/components/securitySchemes/bearerAuth/description",
      "/components/schemas/SignedIn/properties/renewableUntil/description",
      "/paths/~1api~1gate-access/post/responses/200/content/application~1json/examples/signedIn/value/accessToken",
      "/paths/*/*/parameters/0/example",
    ],
    now: "c434b6d710c4",
  },
  {
    why: "Of a broken audio part only what is missing is empty.",
    at: [
      "/components/schemas/GatedContent/description",
      "/components/schemas/GatedContent/properties/audioData/properties/audioSrc/description",
      "/components/schemas/GatedContent/properties/audioData/properties/error/description",
    ],
    now: "6779b9f08854",
  },
  {
    why: "A model that says nothing has failed, and a chat waits ten seconds for it before the stream begins.",
    at: [
      "/paths/~1api~1chat/post/responses/500/content/application~1json/examples/provider-failed-edge/value/details",
      "/paths/~1api~1chat/post/responses/500/content/application~1json/examples/provider-failed-empty",
    ],
    now: "11f782af1976",
  },
  {
    why: "Tools that failed say so in their answer; a body that is no JSON is told from one of another shape.",
    at: [
      "/paths/~1api~1mcp/post/responses/200/content/application~1json/examples/failed",
      "/paths/~1api~1mcp/post/responses/200/content/application~1json/examples/mcpFailed",
      "/paths/~1api~1mcp/post/responses/400/description",
      "/paths/~1api~1mcp/post/responses/400/content/application~1json/examples/invalid-json-body",
      "/paths/~1api~1mcp/post/responses/400/content/application~1json/examples/invalid-request/value/error/code",
    ],
    now: "5641581341d9",
  },
  {
    why: "Errors, the reset of quotas and the service's own routes are described in plain words.",
    at: [
      "/components/examples/internal-error/value/detail",
      "/components/schemas/ChatError/properties/error/description",
      "/components/schemas/SpeechError/properties/error/description",
      "/paths/*/*/responses/500/description",
      "/paths/*/*/responses/500/content/application~1json/examples/internal-error/value/details",
      "/paths/~1api~1quota-reset/post/summary",
    ],
    now: "8ab7f47e9ffa",
  },
  {
    why: "GET /api/keys lists the kinds of keys, and a 403 may tell what a kind asks for.",
    at: [
      "/paths/~1api~1keys",
      "/components/schemas/KeyKind",
      "/components/schemas/KeyKinds",
      "/components/schemas/Requirement",
      "/components/schemas/RequirementReport",
      "/components/schemas/RequirementLeafReport",
      "/components/schemas/SecretRequirement",
      "/components/schemas/NotHeldProblem",
      "/paths/~1api~1gate-access/post/responses/403/content/application~1problem+json/schema/$ref",
      "/paths/~1api~1form-submission-gate/post/responses/403/content/application~1problem+json/schema/$ref",
    ],
    now: "20a6ff0467a2",
  },
  {
    why: "The public settings name the first kind of key, which may be a rented one, or a membership without a contract.",
    at: [
      "/components/schemas/Settings/properties/contractAddress/*",
      "/components/schemas/Settings/properties/keyStandard/enum",
    ],
    now: "274c6b79aedd",
  },
  {
    why: "Readiness tells of several chains, and of the contracts that kinds of keys name.",
    at: [
      "/components/schemas/Readiness/properties/dependencies/description",
      "/components/schemas/Readiness/properties/dependencies/properties/keys",
      "/components/schemas/Readiness/properties/dependencies/additionalProperties/properties/ageSeconds",
    ],
    now: "f7e56e0bbc65",
  },
  {
    why: "The demo's faucet gives a token too, so that its second kind of key can be had.",
    at: ["/components/schemas/FaucetRequest/properties/token"],
    now: "0dbf49ae3dde",
  },
  {
    why: "Answers can be taken up again and stopped, and a client may name them.",
    at: [
      "/paths/~1api~1chat/post/responses/400/description",
      "/paths/~1api~1chat/post/responses/400/content/application~1json/examples/invalid-reply-id",
      "/paths/~1api~1chat~1{id}~1stream",
      "/paths/~1api~1chat~1{id}~1stop",
      "/paths/~1api~1chat/post/parameters",
      "/paths/~1api~1chat/post/responses/409",
      "/paths/~1api~1chat/post/responses/200/headers/X-Reply-Id",
      "/paths/~1api~1chat/post/responses/429/content/application~1json/examples/too-many-answers",
      "/paths/~1api~1chat/post/requestBody/content/application~1json/examples/useChat/value/id",
      "/components/schemas/ChatError/properties/replyId",
      "/components/schemas/ChatRequest/properties/id/description",
      "/components/schemas/ChatRequest/properties/trigger/description",
    ],
    now: "5ee835163c9a",
  },
  {
    why: "Sites that know nothing of keys are opened by their proxies, which ask GET /api/door; a session goes on there, and ends there.",
    at: [
      "/tags",
      "/components/securitySchemes/doorCookie",
      "/components/examples/door-closed",
      "/components/examples/door-not-configured",
      "/components/examples/site-cookie-not-kept",
      "/components/schemas/GoTo",
      "/components/schemas/SessionKept/oneOf",
      "/components/schemas/SessionRequest/properties/door",
      "/components/schemas/SessionRequest/properties/start",
      "/paths/~1session/post/requestBody/content/application~1json/examples/door",
      "/paths/~1session/post/responses/200/description",
      "/paths/~1session/post/responses/200/content/application~1json/examples/goTo",
      "/paths/~1session/post/responses/403/description",
      "/paths/~1session/post/responses/403/content/application~1problem+json/examples/not-opened-by-this-key",
      "/paths/~1session/post/responses/403/content/application~1problem+json/schema/$ref",
      "/paths/~1session/post/responses/429/description",
      "/paths/~1session/post/responses/429/content/application~1problem+json/examples/site-cookie-not-kept",
      "/paths/~1session/delete/description",
      "/paths/~1api~1door",
      "/paths/~1.latchkey~1start",
      "/paths/~1.latchkey~1enter",
      "/paths/~1.latchkey~1leave",
    ],
    now: "5d7a2bd28bde",
  },
  {
    why: "The status of a key of an unknown kind is refused as an invalid request.",
    at: [
      "/paths/~1api~1token-status~1{tokenId}/get/responses/400/description",
      "/paths/~1api~1token-status~1{tokenId}/get/responses/400/content/application~1problem+json/examples/invalid-request",
    ],
    now: "cc68cb000d8d",
  },
  {
    why: "The model sees the tool calls and results of earlier replies; speech that was cut says so.",
    at: [
      "/components/schemas/ChatMessage/properties/content/oneOf/1/items/properties/type/description",
      "/components/schemas/ChatMessage/properties/parts/items/properties/type/description",
      "/paths/~1api~1tts/post/responses/200/headers/X-Speech-Cut",
    ],
    now: "48aa3de8d4e4",
  },
  {
    why: "Chat and tools can be switched off whole: what describes other operations names neither, and speech has a group of its own.",
    at: [
      "/info/description",
      "/components/schemas/Readiness/properties/quota/description",
      "/paths/~1api~1tts/post/tags/0",
      "/paths/~1manifest.webmanifest/get/responses/200/content/application~1manifest+json/example/shortcuts/0/*",
    ],
    now: "b2a1f3fafdaa",
  },
  {
    why: "The example of a description is of this version.",
    at: ["/paths/~1api~1openapi/get/responses/200/content/application~1json/example/info/version"],
    now: "59004719124b",
  },
  {
    why: "Signing out writes to the database, so it counts too, with reading the session.",
    at: [
      "/paths/~1session/delete/responses/429",
      ...headersAt(...["200", "403", "503"].map((status) => `/paths/~1session/delete/responses/${status}`)),
    ],
    now: "5996477dcee9",
  },
];
