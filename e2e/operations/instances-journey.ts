import { expect } from "vitest";
import { waitUntil } from "~e2e/support/processes";
import { clientOf } from "../api/gate-fixture";
import type { Answer } from "../api/gate-fixture";
import { parseStream, textOf } from "../api/chat-fixture";
import type { Site } from "./instances-fixture";

export const isGranted = ({ status }: Answer) => status === 200;

export function bearerOf(answer: Answer): { Authorization: string } {
  expect([answer.status, answer.body.title]).toEqual([200, undefined]);
  return { Authorization: `Bearer ${String(answer.body.accessToken)}` };
}

/** A holder's visit from sign-in to the used key, through any proxy. */
export async function walkThrough({ site, origin }: { site: Site; origin: string }): Promise<void> {
  const { ask, post, signIn, newNonce, siweBody, formBody } = clientOf({ origin });
  const holder = await site.gate.mintKey();
  const { tokenId } = holder;

  const proof = await siweBody({ ...holder, nonce: await newNonce() });
  const entries = await Promise.all(Array.from({ length: 10 }, () => post("/api/gate-access", proof)));
  expect(entries.filter(isGranted)).toHaveLength(1);
  const bearer = bearerOf(entries.find(isGranted)!);
  // More requests than servers, so each of them checks the token.
  const again = await Promise.all(
    Array.from({ length: 6 }, () => ask({ path: "/api/gate-access", method: "POST", headers: bearer })),
  );
  expect(again.map(({ status }) => status)).toEqual(Array(6).fill(200));

  const [link] = /\/media\/[^\s")']+\?exp=\d+&(?:amp;)?sig=[\w-]+/.exec(JSON.stringify(again[0]!.body)) ?? [];
  const media = await Promise.all(
    Array.from({ length: 4 }, () => fetch(`${origin}${link!.replaceAll("&amp;", "&")}`)),
  );
  expect(media.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  for (const picture of media) await picture.arrayBuffer();

  const cookie = (await ask({ path: "/session", method: "POST", headers: bearer })).headers.getSetCookie()[0];
  for (let turn = 0; turn < 4; turn++) {
    const session = await ask({ path: "/session", headers: { cookie: cookie!.split(";")[0]! } });
    expect(session.body).toMatchObject({ signedIn: true, tokenId });
  }

  const response = await fetch(`${origin}/api/chat`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...bearer },
    body: JSON.stringify({ messages: [{ role: "user", content: "Hello" }] }),
  });
  expect(textOf(parseStream(await response.text()))).toBe("Hello there.");
  const standing = await Promise.all(
    Array.from({ length: 4 }, async () => (await ask({ path: "/api/quota", headers: bearer })).body.used),
  );
  expect(new Set(standing).size).toBe(1);
  expect(standing[0]).toBeGreaterThan(0);

  const form = await formBody({ ...holder, message: `from ${tokenId}` });
  const forms = await Promise.all(Array.from({ length: 10 }, () => post("/api/form-submission-gate", form)));
  expect(forms.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(403)]);
  for (let turn = 0; turn < 4; turn++) {
    const status = await ask({ path: `/api/token-status/${tokenId}` });
    expect(status.body).toMatchObject({ used: true });
    expect((await signIn(holder)).status).toBe(403);
  }
  await waitUntil(() => site.receiver.received.some(({ body }) => body.includes(`from ${tokenId}`)));
}
