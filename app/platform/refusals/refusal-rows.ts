export type RefusalEntry = { slug: string; status: number; title: string; meaning: string; remedy: string };

export type RefusalRows = Record<
  number,
  Record<string, Omit<RefusalEntry, "slug" | "status"> & { slug?: string }>
>;

/** Faults of the request, by status. The name is the slug too, unless two rows share one. */
export const clientRows = {
  400: {
    "invalid-request": {
      title: "Invalid request",
      meaning: "The request could not be understood: its JSON or the shape of its fields is wrong.",
      remedy:
        "Look at `errors`, which names each field and what is wrong with it, correct them and send again.",
    },
    "invalid-tokenid": {
      title: "Invalid tokenId",
      meaning: "The token id is not a whole number that a key NFT could have.",
      remedy: "Send the id as decimal digits, or as a JSON integer up to 9007199254740991.",
    },
    "invalid-json-body": {
      title: "Invalid JSON body",
      meaning: "The body of the request is not valid JSON.",
      remedy: "Send one JSON object in UTF-8.",
    },
    "siwe-not-enabled": {
      title: "SIWE not enabled",
      meaning: "Signing in with Ethereum is switched off on this server.",
      remedy:
        "Use another way in, or ask whoever runs this site to set NEXT_PUBLIC_ENABLE_STATE_WORKER=true.",
    },
    "legacy-not-accepted": {
      title: "Legacy signatures not accepted",
      meaning: "This server does not accept the older timestamped signature.",
      remedy: "Get a nonce from /api/nonce and sign in with Ethereum (EIP-4361).",
    },
    "missing-messages": {
      title: "Missing messages array",
      meaning: "A chat request needs a list of messages with at least one in it.",
      remedy: 'Send `messages`, such as [{"role": "user", "content": "Hello"}].',
    },
    "invalid-messages": {
      title: "Invalid messages",
      meaning: "A message of the conversation has a shape that cannot be read, or is too long.",
      remedy:
        "Look at `errors`, which names each field and what is wrong with it, correct them and send again.",
    },
    "unknown-model": {
      title: "Unknown model",
      meaning: "The model asked for is not one this server offers.",
      remedy: "Leave `model` out to use the default, or name one of the models that GET /api/models lists.",
    },
    "missing-text": {
      title: 'Missing "text"',
      meaning: "A request for speech needs a text with at least one character besides white space.",
      remedy: 'Send `text`, such as {"text": "Hello"}.',
    },
    "text-too-long": {
      title: '"text" is too long',
      meaning: "The text to be spoken is longer than one request may be.",
      remedy: "Send it in several parts; `details` names the limit in characters.",
    },
    "invalid-reply-id": {
      title: "Invalid X-Reply-Id",
      meaning: "The name that the request gives its reply has another shape than such names have.",
      remedy: "Use 16 to 64 letters, digits, `_` and `-`, or leave the header out.",
    },
    "invalid-message-id": {
      title: 'Invalid "messageId"',
      meaning: "The id of the message holds characters that cannot stand in a header, or is too long.",
      remedy: "Use letters, digits, dots, underscores, colons and hyphens, at most 128 of them.",
    },
  },
  401: {
    "authentication-failed": {
      title: "Authentication failed",
      meaning: "The proof that came with the request was missing, wrong, expired or used before.",
      remedy:
        "Get a new nonce from /api/nonce, sign a new message with the wallet that holds the key, and try again.",
    },
    "missing-jwt": {
      title: "Unauthorized: missing JWT",
      meaning: "This address is for holders of a key only, and the request came without an access token.",
      remedy:
        "Sign in at /api/gate-access and send the access token you get there, best in the Authorization header.",
    },
    "invalid-jwt": {
      title: "Unauthorized: invalid JWT",
      meaning:
        "The access token that came with the request is malformed, expired or not made for this address, or its key has left the wallet or was used up.",
      remedy: "Sign in again at /api/gate-access and send the new access token.",
    },
    "door-closed": {
      title: "Sign in with a key",
      meaning:
        "This site is open to holders of a key, and the request came without a sign-in for it, or with one that has ended.",
      remedy: "Open a page of the site in a browser: it leads to the sign-in and back.",
    },
    "operator-sign-in-needed": {
      title: "Sign in first",
      meaning:
        "The operator's view is open to whoever signed in with the operator's secret, and for a time only.",
      remedy: "Sign in at /operator/sign-in, then repeat what you were doing.",
    },
    "operator-secret-wrong": {
      title: "That is not the secret",
      meaning: "The secret that was sent is not the one this server was started with.",
      remedy: "Send the value of OPERATOR_SECRET from the server's settings.",
    },
    "quota-reset-unauthorized": {
      title: "Unauthorized",
      meaning: "Quotas are reset with the operator's secret only; it was missing or wrong.",
      remedy: "Send the value of AI_QUOTA_RESET_SECRET in the header x-quota-reset-secret.",
    },
  },
  403: {
    "you-do-not-own-this-token": {
      title: "You do not own this token",
      meaning:
        "The wallet was proved, but this key is not in it: it belongs to somebody else, does not exist, or its membership has expired.",
      remedy:
        "Check the token id and the wallet you signed with. If the membership has expired, renew it and sign in again.",
    },
    "this-token-has-already-been-used": {
      title: "This token has already been used",
      meaning: "Each key opens the one-time form once, and this one has been used.",
      remedy: "Use another key, or ask whoever runs this site if you believe this is a mistake.",
    },
    "not-opened-by-this-key": {
      title: "Not opened by this key",
      meaning:
        "Keys of this kind do not open what was asked for, or they open it to the wallet that holds them alone and not to its delegates.",
      remedy:
        "Use a key that opens it; where only the holder may, sign in with the wallet that holds the key.",
    },
    "cross-site-request": {
      title: "Cross-site request refused",
      meaning: "A page on another site tried to use the sign-in of this browser.",
      remedy:
        "Open this site itself and repeat what you were doing there. API clients send the token in the Authorization header instead of a cookie.",
    },
    "host-not-allowed": {
      title: "Host not allowed",
      meaning: "The request names a host, or comes from a page, that is not one of this site's own.",
      remedy:
        "Call the tools at the site's own address. Whoever runs this site can add hosts to NEXT_PUBLIC_DOMAIN and origins to CORS_ORIGINS.",
    },
    "door-not-configured": {
      title: "Door not configured",
      meaning:
        "A site's proxy asked whether a visitor may come in, in a way that cannot be trusted or understood; or somebody asked who is no proxy.",
      remedy:
        "`detail` says what is missing. Whoever runs this site sets DOOR_HOSTS and TRUST_PROXY here, and in the proxy the headers that say what was asked for.",
    },
    "media-link-invalid": {
      title: "Media link not valid",
      meaning:
        "Links to audio and images of the room are signed and live for a short time; this one has expired or was changed.",
      remedy: "Load the room again: it comes with new links.",
    },
    "quota-reset-disabled": {
      title: "Quota reset disabled",
      meaning: "This server resets no quotas: no secret is set for it, or the quota itself is switched off.",
      remedy: "Whoever runs this site can set AI_QUOTA_RESET_SECRET and AI_CHAT_QUOTA_ENABLED=true.",
    },
  },
  404: {
    "not-found": {
      title: "Not found",
      meaning: "There is nothing at this address.",
      remedy: "Check the address for typing mistakes.",
    },
  },
  405: {
    "method-not-allowed": {
      title: "Method not allowed",
      meaning: "This address exists, but not for this HTTP method.",
      remedy: "Use one of the methods named in the Allow header.",
    },
  },
  408: {
    "request-timeout": {
      title: "Request timed out",
      meaning: "The request was not received whole in time.",
      remedy: "Send it again, over a better connection if you can.",
    },
  },
  409: {
    "holding-too-recent": {
      title: "Holding too recent",
      meaning:
        "The key came to this wallet so recently that the chain might still take the transfer back, or was seen leaving it a moment ago. Using a key up cannot be undone.",
      remedy:
        "Wait for the number of seconds in the Retry-After header, and for the block if `detail` names one, then send the request again.",
    },
    "wallet-not-deployed": {
      title: "Wallet not deployed",
      meaning:
        "The wallet that signed is a contract wallet which doesn't exist on the chain yet. It may sign in, but using a key up cannot be undone, so the wallet must exist first.",
      remedy: "Deploy the wallet, for instance by sending a first transaction with it, then try again.",
    },
    "answer-under-way": {
      title: "An answer is already under way",
      meaning: "The last question of this conversation is still being answered.",
      remedy: "Take up that answer, which `replyId` names, or stop it; then ask again.",
    },
    "reply-id-taken": {
      title: "This X-Reply-Id is taken",
      meaning: "Another answer that is kept has the name that the request gives its reply.",
      remedy: "Take up that answer if it is yours, or ask again with another name.",
    },
  },
  413: {
    "body-too-large": {
      title: "Body too large",
      meaning: "The request body is larger than this address accepts.",
      remedy: "Send less: the limit in bytes is named in `detail`.",
    },
  },
  415: {
    "unsupported-media-type": {
      title: "Unsupported media type",
      meaning: "The body is not declared as JSON.",
      remedy: "Send JSON, with the header `Content-Type: application/json`.",
    },
  },
  416: {
    "range-not-satisfiable": {
      title: "Range not satisfiable",
      meaning: "The file ends before the range of bytes that was asked for begins.",
      remedy: "Ask for a range within the size that the Content-Range header names, or for the whole file.",
    },
  },
  422: {
    "unspeakable-text": {
      title: "Text cannot be spoken",
      meaning: "The request is right, but the voice of this server has no sounds for this text.",
      remedy: "`details` says why. Send text in words, in a language the voice knows.",
    },
  },
  429: {
    "too-many-requests": {
      title: "Too many requests",
      meaning: "More requests came from this client than the limit of this address allows.",
      remedy:
        "Wait for the number of seconds in `retryAfter` (also in the Retry-After header), then go on more slowly.",
    },
    "site-cookie-not-kept": {
      title: "The site's cookie is not kept",
      meaning:
        "This browser was let in to the same site again and again within half a minute, and came back each time: it does not keep the cookie that the site gives it, or many windows of the site came at once.",
      remedy:
        "Allow cookies for the site, then open it again, in one window, after the number of seconds in the Retry-After header.",
    },
    "speech-busy": {
      title: "TTS is busy",
      meaning: "As much is being spoken as this server can speak at once, and as much is waiting.",
      remedy: "Try again after the number of seconds in the Retry-After header.",
    },
    "too-many-answers": {
      title: "Too many answers under way",
      meaning: "As many questions of this key, or of this client, are being answered as may be at once.",
      remedy: "Wait until one has ended, or stop one.",
    },
    "quota-exceeded": {
      title: "Quota exceeded",
      meaning: "This key has had as much answered as one quota window allows.",
      remedy: "Come back at the moment named in `resetAt`: then a new window begins.",
    },
    "quota-reserved": {
      slug: "quota-exceeded",
      title: "Quota exceeded",
      meaning: "What this key has left is reserved for answers or speech under way; it need not be used up.",
      remedy:
        "Come back at the moment named in `resetAt`: then the first of them must have ended, and what it did not need is there again.",
    },
  },
  431: {
    "headers-too-large": {
      title: "Headers too large",
      meaning: "The headers of the request are larger than 32 KiB together.",
      remedy: "Send fewer or shorter ones.",
    },
  },
} satisfies RefusalRows;
