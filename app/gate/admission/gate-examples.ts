import type { z } from "zod";
import type { GatedContent } from "~/content/content.schema";
import type { AccessClaims } from "../tokens/access-token.schema";
import type {
  bearerBodySchema,
  formSubmissionSchema,
  legacyBodySchema,
  siweBodySchema,
  TokenStatus,
} from "../proofs/gate-bodies";

/** The signatures are real: a well-known test wallet signed these texts for gate.example on chain 1. */
const wallet = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const timestamp = 1768469400000;
const nonce = "5f0c1b8e7a3d4926b1e0f7c8d9a2e641";
const issuedAt = "2026-01-15T09:30:00.000Z";

export const exampleNonce = { nonce };

export const exampleSiweBody: z.input<typeof siweBodySchema> = {
  address: wallet,
  signature:
    "0x4869adf1f312352b422f275c2b999051bf261be414a1f56752581586806557e73738b9a2eb5c712909a253554fcc5500769e4c5b00537e0b8148f584d36b50391c",
  tokenId: "42",
  message: [
    "gate.example wants you to sign in with your Ethereum account:",
    wallet,
    "",
    "Open the room with key 42.",
    "",
    "URI: https://gate.example",
    "Version: 1",
    "Chain ID: 1",
    `Nonce: ${nonce}`,
    `Issued At: ${issuedAt}`,
  ].join("\n"),
  nonce,
};

export const exampleLegacyBody: z.input<typeof legacyBodySchema> = {
  address: wallet,
  signature:
    "0x627dbf92cc66841b77d59682e0370c79568d04caa01d1e1ecc2994f8c23ff30800c0dd62fe95c720883b1f10591ecde54fc30981901e83cda0065f1231336d9c1c",
  tokenId: 42,
  timestamp,
};

export const exampleBearerBody: z.input<typeof bearerBodySchema> = { tokenId: "42" };

export const exampleFormSubmission: z.input<typeof formSubmissionSchema> = {
  tokenId: "42",
  message: "I would like to come to the reading on Thursday.",
  signature:
    "0x973a9deaf448678a18da0f201ff863afe8db992360df5a00d9eeb29f6706e76629b7414a0a9996595cae8449b5b78b53f51f08a2e9f43ea17a318095c824bc421b",
  address: wallet,
  timestamp,
  messageHash: "0x2e75b734f8d7746ec7c4c80d5fa294d6e002d2dd54d17fd21dc10943bddd0b7d",
};

export const exampleClaims: AccessClaims = {
  iss: "https://gate.example",
  aud: ["gate.example"],
  sub: "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
  iat: 1768469402,
  exp: 1768470302,
  jti: "6f1d2a34-5b6c-4d7e-8f90-a1b2c3d4e5f6",
  kind: "access",
  auth: "siwe",
  scopes: ["gate:read", "chat", "tts", "tools"],
  tokenId: "42",
  chainId: 1,
  contract: "0x5fbdb2315678afecb367f032d93f642f64180aa3",
  siwe: { address: wallet, domain: "gate.example", chainId: 1, nonce, issuedAt },
  siwe_hash: "0xcc20a74e1f1006a65d8d0d45d30c85ab9b75924ac5d449e57f3005084dbbd24d",
};

const exampleKeyId = "Yp6m2hR0w1aJrYcQ8vB3nKd5sT7uXfGzLeWoHiCqMbA";

/** Any JWT viewer can read it. Nobody signed it. */
export const exampleAccessToken = [
  toBase64Url(JSON.stringify({ alg: "ES256", kid: exampleKeyId, typ: "at+jwt" })),
  toBase64Url(JSON.stringify(exampleClaims)),
  toBase64Url("this example is signed by nobody and opens nothing, ever: ok..."),
].join(".");

function toBase64Url(ascii: string): string {
  return btoa(ascii).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

export const exampleContent: GatedContent = {
  welcomeText: "# Welcome in\n\nYou hold key 42, so this is yours to read.",
  textSubmissionAreaHtml:
    '<form id="room-book"><label for="room-line">Your line</label> <textarea id="room-line" name="message" maxlength="500" required></textarea> <button type="submit">Send</button></form>',
  audioData: {
    headline: "From the music box",
    imageSrc: "/media/42/images/lamp-room.svg?exp=1768470300&sig=Vb3nKd5sT7uXfGzLeWoHiCqMbAYp6m2hR0w1aJrYcQ8",
    imageAlt: "A lighthouse at dusk",
    description: "Seven seconds and a half, once every evening.",
    title: "Lighting-up time",
    audioSrc: "/media/42/lamp-room.wav?exp=1768470300&sig=R0w1aJrYcQ8vB3nKd5sT7uXfGzLeWoHiCqMbAYp6m2h",
    error: false,
  },
  styles: ".room { line-height: 1.6; }",
  script: 'document.body.append("The lamp is lit.");',
};

export const exampleAdmission = { success: true, access: "granted", content: exampleContent };

export const exampleUnusedStatus: TokenStatus = {
  tokenId: "42",
  exists: true,
  count: 1,
  used: false,
  usedBy: null,
  usedAt: null,
};

export const exampleUsedStatus: TokenStatus = {
  ...exampleUnusedStatus,
  used: true,
  usedBy: "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
  usedAt: "2026-01-15T09:31:07.412Z",
};

export const exampleMissingStatus: TokenStatus = {
  ...exampleUnusedStatus,
  tokenId: "4242",
  exists: false,
  count: 0,
};

export const examplePublicKeys = {
  keys: [
    {
      kty: "EC",
      crv: "P-256",
      x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
      y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
      kid: exampleKeyId,
      alg: "ES256",
      use: "sig",
    },
  ],
};
