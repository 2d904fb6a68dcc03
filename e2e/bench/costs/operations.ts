import { randomBytes } from "node:crypto";
import { bareSide } from "../figures";
import { fixedOperations, operatorOperations, sessionCookie } from "../fixed-answers";
import { repeating, toHttp } from "./operation";
import type { Operation, Prepare, Target } from "./operation";
import { askForWords, tellWords } from "../scale/ask-for-words";
import {
  prepareForms,
  prepareOlderSignIns,
  preparePluginSignIns,
  prepareSignIns,
  signInOnce,
} from "../sign-in";

/** What is spoken, and then kept: it is the second and all further times that are measured. */
export const spokenText = "The lamp is lit, and the door stands open.";
/** Of the demonstration's recording, as a player asks for its first piece. */
export const mediaRangeBytes = 65_536;
const mediaFile = "lamp-room.wav";
export const resetSecret = randomBytes(24).toString("hex");
const answeredWords = 20;

const nonce = repeating({ method: "GET", path: "/api/nonce", expected: { holds: '"nonce":"' } });

export const bearer: Prepare = withToken("POST", "/api/gate-access", '"access":"granted"');
const quota: Prepare = withToken("GET", "/api/quota", '"remaining":');

const status: Prepare = async ({ target, requests }) => ({
  requests: [toHttp({ target, method: "GET", path: `/api/token-status/${target.holders[0]!.tokenId}` })],
  repeat: requests,
  expected: { holds: '"used":false' },
});

const quotaReset: Prepare = async ({ target, requests }) => {
  const headers = { "X-Quota-Reset-Secret": resetSecret };
  const json = { scope: "token", tokenIds: [target.holders[0]!.tokenId] };
  return {
    requests: [toHttp({ target, method: "POST", path: "/api/quota-reset", headers, json })],
    repeat: requests,
    expected: { holds: '"ok":true' },
  };
};

const session: Prepare = async ({ target, requests }) => ({
  requests: [toHttp({ target, method: "GET", path: "/session", headers: sessionCookie(target.accessToken) })],
  repeat: requests,
  expected: { holds: '"signedIn":true' },
});

const entering: Prepare = async ({ target, requests }) => {
  const headers = sessionCookie(target.accessToken);
  return {
    requests: [toHttp({ target, method: "POST", path: "/session", headers, json: { open: true } })],
    repeat: requests,
    expected: { holds: '"access":"granted"' },
  };
};

const starting: Prepare = withToken("POST", "/session", '"signedIn":true');

const signingOut: Prepare = async ({ target, requests }) => ({
  requests: [
    toHttp({ target, method: "DELETE", path: "/session", headers: sessionCookie(target.accessToken) }),
  ],
  repeat: requests,
  expected: { holds: '"signedIn":false' },
});

/** Each of so many sessions in turn: two renewals of one at the same time would share a reading of the chain. */
function renewal(findTokens: (target: Target) => Promise<readonly string[]>): Prepare {
  return async ({ target, requests: count }) => {
    const tokens = await findTokens(target);
    const all = tokens.map((token) =>
      toHttp({
        target,
        method: "POST",
        path: "/session",
        headers: sessionCookie(token),
        json: { renew: true },
      }),
    );
    const requests = Array.from({ length: count }, (_, index) => all[index % all.length]!);
    return { requests, expected: { holds: '"signedIn":true' } };
  };
}

async function signInEverybody(target: Target): Promise<string[]> {
  const tokens: string[] = [];
  for (const holder of target.holders) tokens.push((await signInOnce(target, holder)).answer.accessToken);
  return tokens;
}

function speaking(target: Target, text: string): string {
  const headers = { Authorization: `Bearer ${target.accessToken}`, Accept: "audio/mpeg" };
  return toHttp({ target, method: "POST", path: "/api/tts", headers, json: { text } });
}

// Every MP3 frame begins with eleven set bits.
const sound = { holds: "\u00ff" };

const speech: Prepare = async ({ target, requests }) => ({
  requests: [speaking(target, spokenText)],
  repeat: requests,
  expected: sound,
});

let spoken = 0;
/** Nobody has said any of these before. */
const freshSpeech: Prepare = async ({ target, requests: count }) => ({
  requests: Array.from({ length: count }, () =>
    speaking(target, `The lamp of room ${100_000 + ++spoken} is lit.`),
  ),
  expected: sound,
});

const chat: Prepare = async ({ target, requests }) => {
  const headers = { Authorization: `Bearer ${target.accessToken}`, Accept: "text/event-stream" };
  const json = { messages: [{ role: "user", content: askForWords(answeredWords) }] };
  return {
    requests: [toHttp({ target, method: "POST", path: "/api/chat", headers, json })],
    repeat: requests,
    expected: { holds: tellWords(answeredWords) },
  };
};

function media(findPath: (target: Target) => Promise<string>): Prepare {
  return async ({ target, requests }) => {
    const headers = { Range: `bytes=0-${mediaRangeBytes - 1}`, Accept: "*/*" };
    const path = await findPath(target);
    return {
      requests: [toHttp({ target, method: "GET", path, headers })],
      repeat: requests,
      expected: { status: 206, holds: "RIFF", bytes: mediaRangeBytes },
    };
  };
}

function withToken(method: string, path: string, holds: string): Prepare {
  return async ({ target, requests }) => {
    const headers = { Authorization: `Bearer ${target.accessToken}` };
    return {
      requests: [toHttp({ target, method, path, headers })],
      repeat: requests,
      expected: { holds },
    };
  };
}

/** In the order in which they are measured. */
export const operations: readonly Operation[] = [
  {
    name: "GET /api/nonce",
    slug: "nonce",
    requests: 3000,
    warmUpRequests: 6000,
    aims: { maxTimes: { side: bareSide, times: 1.3 } },
    sides: { Latchkey: nonce, "bare Node": nonce, Fastify: nonce },
  },
  {
    name: "POST /api/gate-access, SIWE",
    slug: "siwe",
    requests: 800,
    warmUpRequests: 3000,
    aims: {
      rpcCallsPerRequest: 1,
      maxCpuMicros: 1500,
      minTimes: { side: "better-auth", times: 5 },
    },
    sides: {
      Latchkey: prepareSignIns,
      "bare Node": prepareSignIns,
      "better-auth": preparePluginSignIns,
    },
  },
  {
    name: "POST /api/gate-access, older signature",
    slug: "older-signature",
    requests: 600,
    warmUpRequests: 2000,
    aims: { rpcCallsPerRequest: 1 },
    sides: { Latchkey: prepareOlderSignIns, Fastify: prepareOlderSignIns },
  },
  {
    name: "POST /api/gate-access, Bearer",
    slug: "bearer",
    requests: 2500,
    warmUpRequests: 5000,
    aims: { maxTimes: { side: bareSide, times: 1.6 } },
    sides: { Latchkey: bearer, "bare Node": bearer, Fastify: bearer },
  },
  {
    name: "GET /session",
    slug: "session",
    requests: 1500,
    warmUpRequests: 3000,
    aims: { maxTimes: { side: "Fastify", times: 1.2 } },
    sides: { Latchkey: session, Fastify: session },
  },
  {
    name: "POST /session, a token becomes one",
    slug: "session-start",
    requests: 600,
    warmUpRequests: 2000,
    aims: {},
    sides: { Latchkey: starting, Fastify: starting },
  },
  {
    name: "POST /session, renewal",
    slug: "renewal",
    requests: 600,
    warmUpRequests: 2000,
    aims: { rpcCallsPerRequest: 1 },
    sides: {
      Latchkey: renewal(signInEverybody),
      Fastify: renewal(async ({ accessToken }) => [accessToken]),
    },
  },
  {
    name: "POST /session, entering",
    slug: "entering",
    requests: 1500,
    warmUpRequests: 3000,
    aims: {},
    sides: { Latchkey: entering, Fastify: entering },
  },
  {
    name: "DELETE /session",
    slug: "sign-out",
    requests: 1500,
    warmUpRequests: 3000,
    aims: {},
    sides: { Latchkey: signingOut, Fastify: signingOut },
  },
  {
    name: "GET /api/token-status/{id}",
    slug: "status",
    requests: 3000,
    warmUpRequests: 6000,
    aims: { maxTimes: { side: bareSide, times: 1.3 } },
    sides: { Latchkey: status, "bare Node": status, Fastify: status },
  },
  // Before the forms: from then on the tables are longer than when they were answered once.
  ...operatorOperations,
  {
    name: "POST /api/form-submission-gate",
    slug: "form",
    requests: 400,
    warmUpRequests: 2000,
    aims: { rpcCallsPerRequest: 1 },
    sides: { Latchkey: prepareForms, Fastify: prepareForms },
  },
  {
    name: `POST /api/chat, ${answeredWords} words`,
    slug: "chat",
    requests: 300,
    warmUpRequests: 1000,
    aims: { maxCpuTimes: { side: "AI SDK", times: 0.5 } },
    sides: { Latchkey: chat, "AI SDK": chat },
  },
  {
    name: "GET /api/quota",
    slug: "quota",
    requests: 1500,
    warmUpRequests: 3000,
    aims: {},
    sides: { Latchkey: quota, Fastify: quota },
  },
  {
    name: "POST /api/quota-reset",
    slug: "quota-reset",
    requests: 600,
    warmUpRequests: 2000,
    aims: {},
    sides: { Latchkey: quotaReset, Fastify: quotaReset },
  },
  {
    name: "POST /api/tts, synthesised",
    slug: "tts-fresh",
    requests: 60,
    warmUpRequests: 60,
    aims: {},
    sides: { Latchkey: freshSpeech, Fastify: freshSpeech },
  },
  {
    name: "POST /api/tts, kept audio",
    slug: "tts",
    requests: 1500,
    warmUpRequests: 3000,
    aims: { maxTimes: { side: "Express", times: 2 } },
    sides: { Latchkey: speech, Express: speech },
  },
  {
    name: "GET /media, 64 KiB range",
    slug: "media",
    requests: 1500,
    warmUpRequests: 3000,
    aims: {},
    sides: {
      Latchkey: media(async (target) => {
        const { answer } = await signInOnce(target);
        return answer.content.audioData.audioSrc;
      }),
      Express: media(async () => `/${mediaFile}`),
    },
  },
  ...fixedOperations,
];
