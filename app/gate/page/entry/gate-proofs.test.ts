import { keccak256, stringToBytes, verifyMessage } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { parseSiweMessage } from "viem/siwe";
import { expect, test } from "vitest";
import { RefusedError } from "../gate-api";
import { exampleKinds } from "~e2e/support/example-kinds";
import { chosenKey, noChoice } from "../kinds/key-choice";
import { toSignedKey } from "../kinds/page-kind";
import { previewForm, proveForForm, proveForRoom } from "./gate-proofs";
import { previewMoment, previewNonce, signInPreview } from "./sign-in-message";

const signer = privateKeyToAccount(generatePrivateKey());
const address = signer.address;
const nonce = "0123456789abcdef0123456789abcdef";
const kinds = exampleKinds;
const nowMs = Date.UTC(2026, 0, 2, 3, 4, 5);

function request({ getNonce = () => Promise.resolve(nonce), origin = "https://gate.example:8443" } = {}) {
  const asked: string[] = [];
  return {
    asked,
    api: { getNonce },
    wallet: {
      signMessage: ({ message }: { message: string }) => {
        asked.push(message);
        return signer.signMessage({ message });
      },
    },
    address,
    key: toSignedKey(kinds, { kindName: "key", tokenId: "7", vault: null }),
    origin,
    nowMs,
    onAsk: () => asked.push("asks"),
  };
}

test("a SIWE message is bound to host, origin, chain, nonce and time, and is ASCII", async () => {
  const input = request();
  const proof = await proveForRoom(input);
  if (!("message" in proof)) throw new Error("The older envelope was signed.");
  expect(proof).toMatchObject({ address, tokenId: "7", nonce });
  expect(parseSiweMessage(proof.message)).toMatchObject({
    domain: "gate.example:8443",
    uri: "https://gate.example:8443",
    version: "1",
    chainId: 31337,
    address,
    nonce,
    issuedAt: new Date(nowMs),
  });
  expect(proof.message).toMatch(/^[\x20-\x7e\n]+$/);
  expect(input.asked[0]).toBe("asks");
  expect(
    await verifyMessage({ address, message: proof.message, signature: proof.signature as `0x${string}` }),
  ).toBe(true);
});

test("the older envelope is signed only where Ethereum sign-in is switched off", async () => {
  const problem = { slug: "siwe-not-enabled", title: "SIWE not enabled", status: 501, detail: "Off." };
  const more = { retryAfterSeconds: null, requestId: null };
  const off = request({ getNonce: () => Promise.reject(new RefusedError({ ...problem, ...more })) });
  expect(await proveForRoom(off)).toMatchObject({ address, tokenId: "7", timestamp: nowMs });
  expect(off.asked[1]).toBe(
    [
      "I own key #7",
      "Domain: gate.example:8443",
      "Path: /api/gate-access",
      "Method: POST",
      "ChainId: 31337",
      `Timestamp: ${nowMs}`,
    ].join("\n"),
  );

  const limited = { ...problem, ...more, slug: "too-many-requests", status: 429 };
  const refused = request({ getNonce: () => Promise.reject(new RefusedError(limited)) });
  await expect(proveForRoom(refused)).rejects.toBeInstanceOf(RefusedError);
  expect(refused.asked).toEqual([]);
});

test("the form's signature covers the hash of its exact words", async () => {
  const input = request();
  const text = "Grüße, 你好\nsecond line";
  const shown: string[] = [];
  const onAsk = (askedText: string) => shown.push(askedText);
  const key = toSignedKey(kinds, { kindName: "key", tokenId: "007", vault: null });
  const form = await proveForForm({ ...input, key, text, onAsk });
  const messageHash = keccak256(stringToBytes(text));
  expect(form).toMatchObject({ address, tokenId: "007", timestamp: nowMs, message: text, messageHash });
  // The page shows the exact message before the wallet is asked.
  expect(shown).toEqual([input.asked[0]]);
  expect(input.asked).toEqual([
    [
      "I own key #7",
      "Domain: gate.example:8443",
      "Path: /api/form-submission-gate",
      "Method: POST",
      "ChainId: 31337",
      `Timestamp: ${nowMs}`,
      `Message: ${messageHash}`,
    ].join("\n"),
  ]);
});

test("the preview is what gets signed, but for time and nonce", async () => {
  const input = request();
  const { origin, key } = input;
  const proof = await proveForRoom(input);
  if (!("message" in proof)) throw new Error("The older envelope was signed.");
  const fresh = [
    [nonce, previewNonce],
    [new Date(nowMs).toISOString(), previewMoment],
  ] as const;
  expect(signInPreview({ origin, address, key })).toBe(
    fresh.reduce((text, [value, words]) => text.replace(value, words), proof.message),
  );

  const form = request();
  await proveForForm({ ...form, text: "Hello", onAsk: () => undefined });
  expect(previewForm({ text: "Hello", key, origin })).toBe(
    form.asked[0]?.replace(String(nowMs), previewMoment),
  );
});

test("a refusal by the wallet sends nothing to the server", async () => {
  const input = request();
  const refusal = Object.assign(new Error("User rejected"), { code: 4001 });
  const wallet = { signMessage: () => Promise.reject(refusal) };
  await expect(proveForRoom({ ...input, wallet })).rejects.toBe(refusal);
});

test("another kind than the first is named: in the body, in the statement and on the envelope's last line", async () => {
  const key = toSignedKey(kinds, { kindName: "founder", tokenId: "7", vault: address });
  const siwe = await proveForRoom({ ...request(), key });
  if (!("message" in siwe)) throw new Error("The older envelope was signed.");
  expect(siwe).toMatchObject({ tokenId: "7", key: "founder", vault: address.toLowerCase() });
  expect(siwe.message).toContain(`key #7 of the kind founder, held by ${address.toLowerCase()}.`);

  const form = request();
  await proveForForm({ ...form, key, text: "Hello" });
  expect(form.asked.at(-1)?.split("\n").slice(-2)).toEqual([
    `Message: ${keccak256(stringToBytes("Hello"))}`,
    "Key: founder",
  ]);
});

test("a membership is signed for on its own chain, under its holder's number", async () => {
  const key = chosenKey(kinds, { account: { address }, choice: { ...noChoice, kindName: "patron" } });
  const siwe = await proveForRoom({ ...request(), key });
  if (!("message" in siwe)) throw new Error("The older envelope was signed.");
  expect(siwe).toMatchObject({ tokenId: BigInt(address).toString(), key: "patron" });
  expect(parseSiweMessage(siwe.message)).toMatchObject({ chainId: 8453 });
  // This key opens only the chat.
  expect(siwe.message).toContain("Sign in with a membership of the kind patron.");
});
