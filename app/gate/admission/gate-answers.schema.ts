import * as z from "zod";
import { gatedContentSchema } from "~/content/content.schema";

/** What the gate answers with. Requests are in gate.schema.ts. */

export const nonceAnswerSchema = z
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

export const submissionAnswerSchema = z
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

export const publicKeysSchema = z
  .object({ keys: z.array(publicKeySchema).describe("Empty where tokens are signed with a shared secret.") })
  .meta({ id: "PublicKeys" });
