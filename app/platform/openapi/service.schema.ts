import { z } from "zod";

/** Answers of the routes that no feature owns. */

export const healthSchema = z.object({ status: z.literal("alive") }).meta({ id: "Health" });

const dependencySchema = z.object({
  state: z.enum(["up", "down"]),
  latencyMs: z.number().min(0).describe("How long it took to ask, in milliseconds."),
  detail: z.string().optional().describe("Only when it is down: what could not be done."),
});

export const readinessSchema = z
  .object({
    status: z
      .enum(["ready", "degraded", "unready"])
      .describe("`degraded` while only something is away that the service can do without."),
    dependencies: z
      .object({
        database: dependencySchema,
        redis: dependencySchema.optional().describe("Where state is kept in Redis."),
        chain: dependencySchema,
        watcher: dependencySchema
          .extend({ ageSeconds: z.number().optional().describe("How long ago they were read.") })
          .optional()
          .describe(
            "Whether transfers of keys are read, by any of the processes on this database. Absent while the server is still starting.",
          ),
        provider: dependencySchema,
        speech: dependencySchema.optional().describe("Absent where speech is switched off."),
      })
      .catchall(dependencySchema)
      .describe("Each thing the service depends on, by its name."),
    quota: z
      .object({
        active: z.boolean(),
        missing: z.array(z.string()).describe("What keeps it from being in force, in words."),
      })
      .describe("Whether the chat quota is in force."),
  })
  .meta({ id: "Readiness" });

export const settingsSchema = z
  .object({
    mode: z.enum(["demo", "development", "production"]),
    chainId: z.int().min(1).describe("The chain the keys live on; part of every signed text."),
    contractAddress: z
      .string()
      .regex(/^0x[0-9a-fA-F]{40}$/)
      .describe("The contract of the keys."),
    keyStandard: z.enum(["erc721", "erc1155", "unlock"]),
    appName: z.string(),
    rpcUrlForBrowser: z
      .string()
      .nullable()
      .describe("An address to read the chain through; null means: ask the wallet."),
    wallets: z
      .object({
        chain: z
          .object({
            name: z.string(),
            currency: z.string(),
            rpcUrl: z.string().nullable(),
            explorerUrl: z.string().nullable(),
          })
          .describe("How a wallet that does not know the chain can add it."),
        keyShopUrl: z.string().nullable().describe("Where to get a key."),
        walletConnect: z.object({ projectId: z.string(), relayUrl: z.string() }).nullable(),
        base: z.boolean(),
      })
      .describe("What the page tells wallets, and which it offers besides those in the browser."),
  })
  .meta({ id: "Settings", description: "What a client has to know before it can sign." });
