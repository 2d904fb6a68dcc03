import * as z from "zod";
import type { ApiRegistry, OperationDescription } from "~/platform/openapi/api-registry";
import { respondsJson, jsonContent } from "~/platform/openapi/json-content";
import {
  exampleAccessToken,
  exampleAdmission,
  exampleBearerBody,
  exampleFormSubmission,
  exampleLegacyBody,
  exampleMissingStatus,
  exampleNonce,
  examplePublicKeys,
  exampleSiweBody,
  exampleUnusedStatus,
  exampleUsedStatus,
} from "./gate-examples";
import {
  bearerBodySchema,
  formSubmissionSchema,
  legacyBodySchema,
  siweBodySchema,
  tokenStatusSchema,
} from "../proofs/gate-bodies";
import { documentedKeyName, keyNameParameter, notHeldProblemSchema } from "../kinds/keys.openapi";
import { tokenIdSchema } from "../kinds/token-id";
import { gatedContentSchema } from "~/content/content.schema";

const nonceAnswerSchema = z
  .object({
    nonce: z
      .string()
      .regex(/^[0-9a-f]{32}$/)
      .describe("Good for one sign-in, for 5 minutes, by the client it was issued to."),
  })
  .meta({ id: "Nonce" });

export const admissionSchema = z
  .object({
    success: z.literal(true),
    access: z.literal("granted"),
    accessToken: z
      .string()
      .regex(/^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/)
      .optional()
      .describe("The access token. Only after a sign-in; a call with a Bearer token gets no new one."),
    content: gatedContentSchema.meta({ id: "GatedContent" }),
  })
  .meta({ id: "Admission" });

const submissionAnswerSchema = z
  .object({ success: z.literal(true), message: z.literal("Access granted") })
  .meta({ id: "SubmissionAccepted" });

const publicKeySchema = z
  .object({
    kty: z.enum(["EC", "OKP"]),
    crv: z.string(),
    x: z.string(),
    y: z.string().optional(),
    kid: z.string(),
    alg: z.enum(["ES256", "EdDSA"]),
    use: z.literal("sig"),
  })
  .meta({ id: "PublicKey", description: "A JSON Web Key (RFC 7517)." });

const publicKeysSchema = z
  .object({ keys: z.array(publicKeySchema).describe("Empty where tokens are signed with a shared secret.") })
  .meta({ id: "PublicKeys" });

const tag = "Gate";

export function describeGate(api: ApiRegistry): void {
  api.addTag({ name: tag, description: "Proving who holds a key, and what a key opens." });
  const scheme = { type: "http", scheme: "bearer", bearerFormat: "JWT" } as const;
  api.addSecurityScheme("bearerAuth", { ...scheme, description: tokenDescription });
  for (const operation of Object.values(gateOperations)) api.describe(operation);
}

const tokenDescription = `The \`accessToken\` of a sign-in at \`POST /api/gate-access\`.

A JWT with \`typ: "at+jwt"\` and the claims \`iss\`, \`aud\`, \`sub\` (the wallet, in lower case), \`iat\`, \`exp\`, \`jti\`, \`kind: "access"\`, \`auth\` (\`siwe\` or \`legacy\`), \`scopes\`, \`tokenId\` (a digit string), \`chainId\`, \`contract\` (the key contract, in lower case; of a membership \`membership:<name>\`), \`key\` (the name of the kind, where kinds have names), \`vault\` (the holder, where the bearer is a delegate), \`siwe\` (what the signed message said) and \`siwe_hash\` (keccak256 of the signed text). It lives 5 minutes to 24 hours, and ends when its key is used up or leaves the wallet. The keys that verify it are at \`/.well-known/jwks.json\`.

Send it as \`Authorization: Bearer <token>\`: with exactly one space, and with a capital B.`;

const documentedTokenId = tokenIdSchema.meta({
  id: "TokenId",
  description:
    "A uint256, as decimal digits (at most 78, up to 2^256-1) or as a JSON integer up to 2^53-1. Answers always hold the digits.",
});

/** Only memberships may omit `tokenId`. */
const keyMembers = {
  tokenId: documentedTokenId.optional(),
  key: documentedKeyName,
  vault: z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/)
    .optional()
    .describe(
      "The wallet that holds the key, where the signer is only its delegate (delegate.xyz, registry version 2). Only for kinds that allow delegates.",
    ),
};
const siweSignIn = siweBodySchema.extend(keyMembers).meta({
  id: "SiweSignIn",
  description:
    "Sign-in with Ethereum (EIP-4361). The nonce is used up by the attempt, whether it succeeds or not.",
});
const legacySignIn = legacyBodySchema.extend(keyMembers).meta({
  id: "LegacySignIn",
  description: "The older timestamped signature. Each is accepted once, within 5 minutes.",
});
const bearerCall = bearerBodySchema
  .extend({ tokenId: documentedTokenId.optional(), key: documentedKeyName })
  .strict()
  .meta({
    id: "BearerCall",
    description: "Beside a Bearer token. A `tokenId` must be the token's own; the body may be left out.",
  });
const formSubmission = formSubmissionSchema.extend(keyMembers).meta({
  id: "FormSubmission",
  description: "A message, and the legacy signature over the address it is sent to.",
});

const admissionDescription = `One of three proofs opens the gate, at a host of this gate's own: at any other each is 401.

1. **Bearer token**: \`Authorization: Bearer <token>\`, with or without a body. A header that is present has to be right; nothing falls through to the body.
2. **Sign-in with Ethereum**: \`address\`, \`signature\`, \`tokenId\`, \`message\` and \`nonce\`. The message is an EIP-4361 message, version 1, for this gate's domain, origin and chain, not older than 10 minutes, with the nonce from \`GET /api/nonce\`. An \`Expiration Time\` ends what the message may be used for, and renewals; the token lives as long as any other.
3. **Legacy signature**: \`address\`, \`signature\`, \`tokenId\` and \`timestamp\`. Signed (EIP-191) are these six lines, joined by single newlines:

\`\`\`
I own key #<tokenId>
Domain: <host[:port]>
Path: /api/gate-access
Method: POST
ChainId: <chain id>
Timestamp: <number as sent>
\`\`\`

Where a gate has several kinds of keys, \`key\` names one: the first that \`GET /api/keys\` lists is meant by default. The chain is the kind's, and the lines of a legacy signature end with \`Key: <name>\` for every kind but the first. Of a membership, which has no token, the key's id is the holder's address as a decimal number; leave \`tokenId\` out. A delegate of the holder names the holder in \`vault\`. What is missing is told in \`requirements\` of the 403, to an address that was proven. A kind that does not open the room gets a token and empty content.

Signatures may be of ordinary wallets, of contract wallets (EIP-1271), and of contract wallets that are not deployed yet (ERC-6492), if their factory is one that this gate accepts. The token of such a wallet carries the claim \`undeployed: true\`, and uses its key up only once the wallet has code. Then the chain is asked who holds the key, at each call.`;

const submissionDescription = `Uses up the key: each opens this form once, and never the gate again afterwards. The message is kept, and whoever runs the gate is told.

The signature is over the six lines of a legacy sign-in with \`Path: /api/form-submission-gate\`. When \`messageHash\` is sent, \`Message: <messageHash>\` is the seventh line; without it the message itself is not signed, which a gate may refuse. For every kind of key but the first, \`Key: <name>\` is the last line, and each signature is accepted once. Delegates may send the form only where the kind says so, and kinds that do not open the room have none.`;

const getNonce: OperationDescription = {
  method: "get",
  path: "/api/nonce",
  operationId: "getNonce",
  tag,
  summary: "Get a nonce to sign in with",
  description:
    "Each call issues a new nonce, bound to the client that asked. Put it into an EIP-4361 message, sign that, and send both to `POST /api/gate-access`.",
  limit: "nonce",
  refusals: ["nonce-siwe-not-enabled", "nonce-not-issued"],
  answers: respondsJson("A new nonce.", { schema: nonceAnswerSchema, example: exampleNonce }),
};

const openGate: OperationDescription = {
  method: "post",
  path: "/api/gate-access",
  operationId: "openGate",
  tag,
  summary: "Prove that you hold a key, and get what it opens",
  description: admissionDescription,
  limit: "gate-access",
  security: ["bearerAuth", "none"],
  body: {
    description: "Left out, or what fits the proof you send.",
    required: false,
    content: jsonContent({
      schema: z.union([siweSignIn, legacySignIn, bearerCall]).meta({ id: "GateAccessRequest" }),
      examples: {
        siwe: { summary: "Sign-in with Ethereum", value: exampleSiweBody },
        legacy: { summary: "Legacy signature", value: exampleLegacyBody },
        bearer: { summary: "Beside a Bearer token", value: exampleBearerBody },
      },
    }),
  },
  refusals: [
    "invalid-tokenid",
    "siwe-not-enabled",
    "legacy-not-accepted",
    "authentication-failed",
    "you-do-not-own-this-token",
    "this-token-has-already-been-used",
    "chain-unavailable",
  ],
  problems: { 403: notHeldProblemSchema },
  answers: respondsJson("The gate is open.", {
    schema: admissionSchema,
    examples: {
      signedIn: {
        summary: "After a sign-in, with an access token",
        value: { ...exampleAdmission, accessToken: exampleAccessToken },
      },
      byToken: { summary: "With a Bearer token", value: exampleAdmission },
    },
  }),
};

const submitForm: OperationDescription = {
  method: "post",
  path: "/api/form-submission-gate",
  operationId: "submitForm",
  tag,
  summary: "Send the one-time form",
  description: submissionDescription,
  limit: "form-submission",
  body: {
    required: true,
    content: jsonContent({ schema: formSubmission, example: exampleFormSubmission }),
  },
  refusals: [
    "invalid-tokenid",
    "authentication-failed",
    "you-do-not-own-this-token",
    "this-token-has-already-been-used",
    "not-opened-by-this-key",
    "holding-too-recent",
    "wallet-not-deployed",
    "chain-unavailable",
  ],
  problems: { 403: notHeldProblemSchema },
  answers: respondsJson("The message was accepted, and the key is used.", {
    schema: submissionAnswerSchema,
    example: { success: true, message: "Access granted" },
  }),
};

const getTokenStatus: OperationDescription = {
  method: "get",
  path: "/api/token-status/{tokenId}",
  operationId: "getTokenStatus",
  tag,
  summary: "Ask whether a key exists and was used",
  description:
    "Says nothing of who holds the key. A key that does not exist is an answer too, not a 404. Of a membership every address exists: only whether it was used is told.",
  limit: "token-status",
  parameters: {
    params: z.object({
      tokenId: z
        .string()
        .regex(/^[0-9]{1,78}$/)
        .meta({ description: "Decimal digits, up to 2^256-1.", param: { example: "42" } }),
    }),
    query: z.object({ key: keyNameParameter }),
  },
  refusals: ["invalid-request", "invalid-tokenid", "chain-unavailable"],
  answers: respondsJson("What is known of the key.", {
    schema: tokenStatusSchema.meta({ id: "TokenStatus" }),
    examples: {
      unused: { summary: "A key that was not used", value: exampleUnusedStatus },
      used: { summary: "A key that was used", value: exampleUsedStatus },
      missing: { summary: "There is no such key", value: exampleMissingStatus },
    },
  }),
};

const getPublicKeys: OperationDescription = {
  method: "get",
  path: "/.well-known/jwks.json",
  operationId: "getPublicKeys",
  tag,
  summary: "Get the keys that verify access tokens",
  description: "The signing key and the retired ones whose tokens may still be alive.",
  answers: respondsJson("A JSON Web Key Set (RFC 7517).", {
    schema: publicKeysSchema,
    example: examplePublicKeys,
  }),
};

export const gateOperations = { getNonce, openGate, submitForm, getTokenStatus, getPublicKeys };
