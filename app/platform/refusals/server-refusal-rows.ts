import type { RefusalRows } from "./refusal-rows";

/** Where the server is, by status. */
export const serverRows = {
  500: {
    "internal-error": {
      title: "Internal error",
      meaning: "The server failed; the request is not at fault.",
      remedy: "Try again. If it keeps happening, tell whoever runs this site the request id in `instance`.",
    },
    "nonce-not-issued": {
      title: "Nonce could not be issued",
      meaning: "The server could not store a new nonce, so it did not hand one out.",
      remedy: "Try again in a few seconds.",
    },
    "provider-failed": {
      title: "Chat request failed",
      meaning: "The model provider behind the chat could not be asked, or failed before it said anything.",
      remedy: "Try again in a moment. `details` says what happened.",
    },
    "speech-failed": {
      title: "TTS generation failed",
      meaning: "The provider of speech could not be asked, or failed before it said anything.",
      remedy: "Try again in a moment. `details` says what happened.",
    },
  },
  501: {
    "nonce-siwe-not-enabled": {
      slug: "siwe-not-enabled",
      title: "SIWE not enabled",
      meaning: "Signing in with Ethereum is switched off on this server, so it issues no nonces.",
      remedy:
        "Use another way in, or ask whoever runs this site to set NEXT_PUBLIC_ENABLE_STATE_WORKER=true.",
    },
  },
  503: {
    "chain-unavailable": {
      title: "Chain unavailable",
      meaning:
        "The blockchain could not be asked, so nobody knows right now who holds the key. Nothing was decided.",
      remedy: "Try again after the number of seconds in the Retry-After header.",
    },
    "state-service-inactive": {
      title: "State service inactive",
      meaning: "The state service is switched off on this server, so there are no quotas to reset.",
      remedy: "Whoever runs this site can set NEXT_PUBLIC_ENABLE_STATE_WORKER=true.",
    },
    "state-unavailable": {
      title: "State unavailable",
      meaning:
        "Where the server keeps its state could not be asked, or was lost before it answered, or the server is still starting. A request that only reads has changed nothing; of any other it is not known what was done, unless the answer says that nothing was.",
      remedy: "Try again after the number of seconds in the Retry-After header.",
    },
    "speech-disabled": {
      title: "TTS provider is disabled",
      meaning: "Speech is switched off on this server.",
      remedy: "Read the text instead, or ask whoever runs this site to set TTS_PROVIDER.",
    },
  },
} satisfies RefusalRows;
