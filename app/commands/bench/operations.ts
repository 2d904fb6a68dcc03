import { repeating, toHttp } from "./operation";
import type { Operation, Prepare } from "./operation";
import { prepareForms, preparePluginSignIns, prepareSignIns, signInOnce } from "./sign-in";

/** What is spoken, and then kept: it is the second and all further times that are measured. */
export const spokenText = "The lamp is lit, and the door stands open.";
/** Of the demonstration's recording, as a player asks for its first piece. */
export const mediaRangeBytes = 65_536;
export const mediaFile = "lamp-room.wav";
export const measuredPages = ["/", "/gate"] as const;

const nonce = repeating({ method: "GET", path: "/api/nonce", expected: { holds: '"nonce":"' } });

const bearer: Prepare = withToken({ method: "POST", path: "/api/gate-access", holds: '"access":"granted"' });
const quota: Prepare = withToken({ method: "GET", path: "/api/quota", holds: '"remaining":' });

const status: Prepare = async ({ target, requests }) => ({
  requests: [toHttp({ target, method: "GET", path: `/api/token-status/${target.holders[0]!.tokenId}` })],
  repeat: requests,
  expected: { holds: '"used":false' },
});

const speech: Prepare = async ({ target, requests }) => {
  const headers = { Authorization: `Bearer ${target.accessToken}`, Accept: "audio/mpeg" };
  const json = { text: spokenText };
  return {
    requests: [toHttp({ target, method: "POST", path: "/api/tts", headers, json })],
    repeat: requests,
    // Every MP3 frame begins with eleven set bits.
    expected: { holds: "\u00ff" },
  };
};

function media(findPath: (target: Parameters<Prepare>[0]["target"]) => Promise<string>): Prepare {
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

function page(path: (typeof measuredPages)[number]): Prepare {
  const headers = { Accept: "text/html", "Accept-Encoding": "identity" };
  return repeating({ method: "GET", path, headers, expected: { holds: "</html>" } });
}

function withToken({ method, path, holds }: { method: string; path: string; holds: string }): Prepare {
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
    ...{ name: "GET /api/nonce", slug: "nonce", requests: 4000, warmUpRequests: 8000 },
    aims: { maxRatio: 3 },
    sides: { Latchkey: nonce, "bare Node": nonce, Fastify: nonce },
  },
  {
    ...{ name: "POST /api/gate-access, SIWE", slug: "siwe", requests: 1000, warmUpRequests: 4000 },
    aims: { rpcCallsPerRequest: 1, maxCpuMicros: 1000 },
    sides: {
      Latchkey: prepareSignIns,
      "bare Node": prepareSignIns,
      "better-auth": preparePluginSignIns,
    },
  },
  {
    ...{ name: "POST /api/gate-access, Bearer", slug: "bearer", requests: 3000, warmUpRequests: 6000 },
    aims: { maxRatio: 4 },
    sides: { Latchkey: bearer, "bare Node": bearer, Fastify: bearer },
  },
  {
    ...{ name: "GET /api/token-status/{id}", slug: "status", requests: 4000, warmUpRequests: 8000 },
    aims: { maxRatio: 3 },
    sides: { Latchkey: status, "bare Node": status, Fastify: status },
  },
  {
    ...{ name: "GET /api/quota", slug: "quota", requests: 3000, warmUpRequests: 6000, aims: {} },
    sides: { Latchkey: quota, Fastify: quota },
  },
  {
    ...{ name: "POST /api/form-submission-gate", slug: "form", requests: 400, warmUpRequests: 2000 },
    aims: { rpcCallsPerRequest: 1 },
    sides: { Latchkey: prepareForms, Fastify: prepareForms },
  },
  {
    ...{ name: "POST /api/tts, kept audio", slug: "tts", requests: 2000, warmUpRequests: 4000, aims: {} },
    sides: { Latchkey: speech, Express: speech },
  },
  {
    ...{ name: "GET /media, 64 KiB range", slug: "media", requests: 2000, warmUpRequests: 4000, aims: {} },
    sides: {
      Latchkey: media(async (target) => {
        const { answer } = await signInOnce({ target });
        return answer.content.audioData.audioSrc;
      }),
      Express: media(async () => `/${mediaFile}`),
    },
  },
  ...measuredPages.map((path): Operation => ({
    ...{ name: `GET ${path}, the page`, slug: path === "/" ? "landing" : "gate-page" },
    ...{ requests: 400, warmUpRequests: 1500, aims: {} },
    sides: { Latchkey: page(path), "bare Node": page(path) },
  })),
];
