export type RefusalEntry = { slug: string; status: number; title: string; meaning: string; remedy: string };

/** The part of the table that chat, speech and their quotas add to what every route can say. */
export const conversationRefusals = {
  "missing-messages": {
    slug: "missing-messages",
    status: 400,
    title: "Missing messages array",
    meaning: "A chat request needs a list of messages with at least one in it.",
    remedy: 'Send `messages`, such as [{"role": "user", "content": "Hello"}].',
  },
  "invalid-messages": {
    slug: "invalid-messages",
    status: 400,
    title: "Invalid messages",
    meaning: "A message of the conversation has a shape that cannot be read, or is too long.",
    remedy:
      "Look at `errors`, which names each field and what is wrong with it, correct them and send again.",
  },
  "unknown-model": {
    slug: "unknown-model",
    status: 400,
    title: "Unknown model",
    meaning: "The model asked for is not one this server offers.",
    remedy: "Leave `model` out to use the default, or name one of the models that GET /api/models lists.",
  },
  "provider-failed": {
    slug: "provider-failed",
    status: 500,
    title: "Chat request failed",
    meaning: "The model provider behind the chat could not be asked, or failed before it said anything.",
    remedy: "Try again in a moment. `details` says what happened.",
  },
  "missing-text": {
    slug: "missing-text",
    status: 400,
    title: 'Missing "text"',
    meaning: "A request for speech needs a text with at least one character besides white space.",
    remedy: 'Send `text`, such as {"text": "Hello"}.',
  },
  "text-too-long": {
    slug: "text-too-long",
    status: 400,
    title: '"text" is too long',
    meaning: "The text to be spoken is longer than one request may be.",
    remedy: "Send it in several parts; `details` names the limit in characters.",
  },
  "invalid-message-id": {
    slug: "invalid-message-id",
    status: 400,
    title: 'Invalid "messageId"',
    meaning: "The id of the message holds characters that cannot stand in a header, or is too long.",
    remedy: "Use letters, digits, dots, underscores, colons and hyphens, at most 128 of them.",
  },
  "unspeakable-text": {
    slug: "unspeakable-text",
    status: 422,
    title: "Text cannot be spoken",
    meaning: "The request is right, but the voice of this server has no sounds for this text.",
    remedy: "`details` says why. Send text in words, in a language the voice knows.",
  },
  "speech-disabled": {
    slug: "speech-disabled",
    status: 503,
    title: "TTS provider is disabled",
    meaning: "Speech is switched off on this server.",
    remedy: "Read the text instead, or ask whoever runs this site to set TTS_PROVIDER.",
  },
  "speech-busy": {
    slug: "speech-busy",
    status: 429,
    title: "TTS is busy",
    meaning: "As much is being spoken as this server can speak at once, and as much is waiting.",
    remedy: "Try again after the number of seconds in the Retry-After header.",
  },
  "speech-failed": {
    slug: "speech-failed",
    status: 500,
    title: "TTS generation failed",
    meaning: "The provider of speech could not be asked, or failed before it said anything.",
    remedy: "Try again in a moment. `details` says what happened.",
  },
  "quota-reset-unauthorized": {
    slug: "quota-reset-unauthorized",
    status: 401,
    title: "Unauthorized",
    meaning: "Quotas are reset with the operator's secret only; it was missing or wrong.",
    remedy: "Send the value of AI_QUOTA_RESET_SECRET in the header x-quota-reset-secret.",
  },
  "quota-reset-disabled": {
    slug: "quota-reset-disabled",
    status: 403,
    title: "Quota reset disabled",
    meaning: "This server resets no quotas: no secret is set for it, or the quota itself is switched off.",
    remedy: "Whoever runs this site can set AI_QUOTA_RESET_SECRET and AI_CHAT_QUOTA_ENABLED=true.",
  },
  "quota-exceeded": {
    slug: "quota-exceeded",
    status: 429,
    title: "Quota exceeded",
    meaning: "This key has had as much answered as one quota window allows.",
    remedy: "Come back at the moment named in `resetAt`: then a new window begins.",
  },
  "quota-set-aside": {
    slug: "quota-exceeded",
    status: 429,
    title: "Quota exceeded",
    meaning: "What this key has left is set aside for answers or speech under way; it need not be used up.",
    remedy:
      "Come back at the moment named in `resetAt`: then the first of them must have ended, and what it did not need is there again.",
  },
} as const satisfies Record<string, RefusalEntry>;
