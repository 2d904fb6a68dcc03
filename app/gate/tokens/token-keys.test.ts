import { spawn } from "node:child_process";
import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { SignJWT, calculateJwkThumbprint, jwtVerify } from "jose";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { TokenKeys } from "./token-keys.server";
import { loadTokenKeys, publicJwks } from "./token-keys.server";

type TokenKeySettings = Parameters<typeof loadTokenKeys>[0];

const secret = "correct horse battery staple: thirty-two bytes and more";
const otherSecret = "another secret that is long enough to be used here";

function pemPair(kind: "P-256" | "P-384" | "ed25519") {
  const pair =
    kind === "ed25519" ? generateKeyPairSync("ed25519") : generateKeyPairSync("ec", { namedCurve: kind });
  return {
    privateKeyPem: pair.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    publicKeyPem: pair.publicKey.export({ type: "spki", format: "pem" }).toString(),
    privateKey: pair.privateKey,
  };
}

const p256 = pemPair("P-256");
const otherP256 = pemPair("P-256");
const ed25519 = pemPair("ed25519");

let dataDir: string;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "latchkey-keys-"));
});

afterEach(async () => {
  await rm(dataDir, { recursive: true, force: true });
});

function load(settings: Partial<TokenKeySettings>): Promise<TokenKeys> {
  return loadTokenKeys({ dataDir, mode: "production", ...settings });
}

/** Signs with the one half and verifies with the other, as proof that they belong together. */
async function worksTogether({ signing, verifying }: TokenKeys): Promise<boolean> {
  const token = await new SignJWT({}).setProtectedHeader({ alg: signing.alg }).sign(signing.key);
  const key = verifying.get(signing.kid);
  if (!key) return false;
  await jwtVerify(token, key.key, { algorithms: [signing.alg] });
  return true;
}

test("a secret alone makes HS256 keys, which publish nothing", async () => {
  const keys = await load({ secret });
  expect(keys.signing.alg).toBe("HS256");
  expect(await worksTogether(keys)).toBe(true);
  expect(publicJwks(keys)).toEqual({ keys: [] });
});

test("a secret of 32 bytes is accepted and one of 31 refused, counted in bytes", async () => {
  expect((await load({ secret: "x".repeat(32) })).signing.alg).toBe("HS256");
  expect((await load({ secret: "é".repeat(16) })).signing.alg).toBe("HS256");
  await expect(load({ secret: "x".repeat(31) })).rejects.toThrow("JWT_SECRET is shorter than 32 bytes.");
});

test("the kid of a secret is stable, differs by secret and shows no part of it", async () => {
  const { kid } = (await load({ secret })).signing;
  expect((await load({ secret })).signing.kid).toBe(kid);
  expect((await load({ secret: otherSecret })).signing.kid).not.toBe(kid);
  expect(kid).toMatch(/^[A-Za-z0-9_-]{22}$/);
  const thumbprint = await calculateJwkThumbprint({
    kty: "oct",
    k: Buffer.from(secret).toString("base64url"),
  });
  expect(thumbprint.startsWith(kid)).toBe(false);
});

test.each([
  ["ES256" as const, p256],
  ["EdDSA" as const, ed25519],
])("a private key makes %s keys whose kid is the RFC 7638 thumbprint", async (alg, pair) => {
  const keys = await load({ alg, privateKeyPem: pair.privateKeyPem });
  expect(keys.signing.alg).toBe(alg);
  expect(await worksTogether(keys)).toBe(true);
  const jwk = createPublicKey(pair.publicKeyPem).export({ format: "jwk" });
  expect(keys.signing.kid).toBe(await calculateJwkThumbprint(jwk));
  expect(publicJwks(keys)).toEqual({ keys: [{ ...jwk, alg, kid: keys.signing.kid, use: "sig" }] });
});

test("published keys hold no private part", async () => {
  const keys = await load({
    alg: "ES256",
    privateKeyPem: p256.privateKeyPem,
    previousKeys: `${ed25519.privateKeyPem}\n${secret}`,
  });
  expect(keys.verifying.size).toBe(3);
  const jwks = publicJwks(keys);
  expect(jwks.keys.map((key) => key.alg).sort()).toEqual(["ES256", "EdDSA"]);
  for (const key of jwks.keys) {
    for (const name of Object.keys(key))
      expect(["kty", "crv", "x", "y", "alg", "kid", "use"]).toContain(name);
  }
});

test("imported private keys cannot be exported", async () => {
  const ofPair = await load({ alg: "ES256", privateKeyPem: p256.privateKeyPem });
  const ofSecret = await load({ secret });
  for (const { signing, verifying } of [ofPair, ofSecret]) {
    expect(signing.key.extractable).toBe(false);
    expect(verifying.get(signing.kid)!.publicJwk === null).toBe(signing.alg === "HS256");
  }
  expect([...ofSecret.verifying.values()].map(({ key }) => key.extractable)).toEqual([false]);
});

test("a public key that belongs to the private one is accepted, another is refused", async () => {
  const { privateKeyPem, publicKeyPem } = p256;
  expect(await worksTogether(await load({ privateKeyPem, publicKeyPem }))).toBe(true);
  await expect(load({ privateKeyPem, publicKeyPem: otherP256.publicKeyPem })).rejects.toThrow(
    "JWT_PUBLIC_KEY does not belong to JWT_PRIVATE_KEY.",
  );
  await expect(load({ publicKeyPem })).rejects.toThrow("JWT_PRIVATE_KEY is not");
});

test("a PEM on one line and a SEC1 PEM with its curve in front are read", async () => {
  const { kid } = (await load({ privateKeyPem: p256.privateKeyPem })).signing;
  const oneLine = p256.privateKeyPem.replaceAll("\n", "\\n");
  expect((await load({ privateKeyPem: oneLine })).signing.kid).toBe(kid);
  const windows = p256.privateKeyPem.replaceAll("\n", "\r\n");
  expect((await load({ privateKeyPem: windows })).signing.kid).toBe(kid);
  const sec1 = p256.privateKey.export({ type: "sec1", format: "pem" }).toString();
  const parameters = "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n";
  expect((await load({ privateKeyPem: parameters + sec1 })).signing.kid).toBe(kid);
  const retired = await load({ secret, previousKeys: parameters + sec1 });
  expect([...retired.verifying.keys()]).toContain(kid);
});

test.each<[string, Partial<TokenKeySettings>, RegExp]>([
  ["nothing in production", {}, /set JWT_SECRET .* or JWT_PRIVATE_KEY/],
  ["empty settings in production", { secret: "", privateKeyPem: "" }, /No token key is configured/],
  ["HS256 without a secret", { alg: "HS256", mode: "test" }, /JWT_SECRET is not set/],
  ["EdDSA without a key", { alg: "EdDSA", mode: "test" }, /JWT_PRIVATE_KEY is not set/],
  [
    "an Ed25519 key for ES256",
    { privateKeyPem: ed25519.privateKeyPem },
    /key for EdDSA, but JWT_ALG asks for ES256/,
  ],
  ["a P-256 key for EdDSA", { alg: "EdDSA", privateKeyPem: p256.privateKeyPem }, /key for ES256/],
  ["a P-384 key", { privateKeyPem: pemPair("P-384").privateKeyPem }, /neither a P-256 key/],
  ["an RSA key", { privateKeyPem: rsaPem() }, /neither a P-256 key/],
  [
    "a public key for a private one",
    { privateKeyPem: p256.publicKeyPem },
    /JWT_PRIVATE_KEY could not be read/,
  ],
  ["an encrypted key", { privateKeyPem: encryptedPem() }, /unencrypted PEM/],
  ["a short retired secret", { secret, previousKeys: "short" }, /Secret 1 of JWT_PREVIOUS_KEYS is shorter/],
  [
    "half a retired PEM",
    { secret, previousKeys: p256.publicKeyPem.slice(0, 60) },
    /without its beginning or end/,
  ],
  ["a broken retired PEM", { secret, previousKeys: p256.publicKeyPem.replace("MF", "AA") }, /PEM block 1 of/],
])("%s: the start stops with an error that names the setting", async (_kind, settings, message) => {
  await expect(load(settings)).rejects.toThrow(message);
});

function rsaPem(): string {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

function encryptedPem(): string {
  const options = { type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "secret" } as const;
  return p256.privateKey.export(options).toString();
}

test("an error about a key contains nothing of it, in its message or its cause", async () => {
  const privateKeyPem = p256.privateKeyPem.replace("MIGH", "AAAA");
  const error = await load({ privateKeyPem }).then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(Error);
  expect(String(error)).not.toContain(privateKeyPem.split("\n")[1]);
  expect((error as Error).cause).toBeUndefined();
});

test("retired keys of every kind are accepted together, separated by commas or line ends", async () => {
  const third = "a third secret of more than thirty-two bytes";
  const previousKeys = `${secret} ,${otherSecret}\n${p256.publicKeyPem}${ed25519.publicKeyPem}`;
  const keys = await load({ secret: third, previousKeys });
  expect([...keys.verifying.values()].map((key) => key.alg).sort()).toEqual([
    "ES256",
    "EdDSA",
    "HS256",
    "HS256",
    "HS256",
  ]);
  const { kid } = (await load({ secret: otherSecret })).signing;
  expect(keys.verifying.has(kid)).toBe(true);
  const folded = await load({ secret: third, previousKeys: previousKeys.replaceAll("\n", "\\n") });
  expect([...folded.verifying.keys()].sort()).toEqual([...keys.verifying.keys()].sort());
});

test("a current key that is also listed as retired counts once", async () => {
  const keys = await load({ privateKeyPem: p256.privateKeyPem, previousKeys: p256.publicKeyPem });
  expect(publicJwks(keys).keys).toHaveLength(1);
});

test("outside production a key is generated once, stored for its owner alone and used again", async () => {
  const folder = join(dataDir, "not", "yet", "there");
  const first = await load({ mode: "development", dataDir: folder });
  expect(first.signing.alg).toBe("ES256");
  expect(await worksTogether(first)).toBe(true);
  expect((await stat(join(folder, "jwt-key.pem"))).mode & 0o777).toBe(0o600);
  const second = await load({ mode: "development", dataDir: folder });
  expect(second.signing.kid).toBe(first.signing.kid);
  expect(await readdir(folder)).toEqual(["jwt-key.pem"]);
});

test("a configured secret leaves no key file, and production generates none", async () => {
  await load({ mode: "development", secret });
  await expect(load({ mode: "production" })).rejects.toThrow(/No token key/);
  expect(await readdir(dataDir)).toEqual([]);
});

test("a stored key that cannot be read stops the start, and is not replaced", async () => {
  await writeFile(join(dataDir, "jwt-key.pem"), "not a key");
  await expect(load({ mode: "development" })).rejects.toThrow(/jwt-key\.pem could not be read/);
  expect(await readFile(join(dataDir, "jwt-key.pem"), "utf8")).toBe("not a key");
});

test("a data directory that is a file is named in the error", async () => {
  const path = join(dataDir, "file");
  await writeFile(path, "");
  await expect(load({ mode: "development", dataDir: path })).rejects.toThrow(/could not be kept at .*file/);
});

test("twenty concurrent starts in one process get one key", async () => {
  const all = await Promise.all(Array.from({ length: 20 }, () => load({ mode: "development" })));
  expect(new Set(all.map((keys) => keys.signing.kid)).size).toBe(1);
  expect(await readdir(dataDir)).toEqual(["jwt-key.pem"]);
});

const childCode = `
  const { loadTokenKeys } = await import(process.argv[1]);
  process.stdout.write("ready\\n");
  process.stdin.once("data", async () => {
    const keys = await loadTokenKeys({ dataDir: process.argv[2], mode: "development" });
    process.stdout.write(keys.signing.kid);
    process.stdin.destroy();
  });
`;

test("four processes that start at once get one key", async () => {
  const modulePath = fileURLToPath(new URL("./token-keys.server.ts", import.meta.url));
  const children = Array.from({ length: 4 }, () =>
    spawn(
      process.execPath,
      ["--import", "tsx", "--input-type=module", "-e", childCode, modulePath, dataDir],
      {
        stdio: ["pipe", "pipe", "inherit"],
      },
    ),
  );
  // All processes load before any begins, so they really compete.
  await Promise.all(children.map((child) => once(child.stdout, "data")));
  const outputs = children.map(async (child) => {
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.stdin.write("go\n");
    const [code] = (await once(child, "close")) as [number];
    return { code, output };
  });
  const results = await Promise.all(outputs);
  expect(results.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
  const { kid } = (await load({ mode: "development" })).signing;
  expect(results.map(({ output }) => output)).toEqual([kid, kid, kid, kid]);
  expect(await readdir(dataDir)).toEqual(["jwt-key.pem"]);
});
