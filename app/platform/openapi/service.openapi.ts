import * as z from "zod";
import { respondsJson, jsonContent, versionHeader } from "./json-content";
import type { ApiRegistry, OperationDescription } from "./api-registry";

const tag = "Service";

export function describeService(api: ApiRegistry): void {
  api.addTag({ name: tag, description: "Configuration, health and metrics of the gate." });
  api.describe(getSettingsOperation);
  api.describe(getOpenApiOperation);
  api.describe(getHealthOperation);
  api.describe(getReadinessOperation);
  const description = "The operator's METRICS_TOKEN, for /metrics alone.";
  api.addSecurityScheme("metricsToken", { type: "http", scheme: "bearer", description });
  api.describe(getMetricsOperation);
}

const healthSchema = z.object({ status: z.literal("alive") }).meta({ id: "Health" });

const dependencySchema = z.object({
  state: z.enum(["up", "down"]),
  latencyMs: z.number().min(0).describe("How long it took to ask, in milliseconds."),
  detail: z.string().optional().describe("Only when it is down: what could not be done."),
});

const watcherSchema = dependencySchema.extend({
  ageSeconds: z.number().optional().describe("How long ago they were read."),
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
        keys: dependencySchema
          .optional()
          .describe("With KEYS_FILE: whether every contract is there that its kinds of keys name."),
        watcher: watcherSchema
          .optional()
          .describe(
            "Whether transfers of keys are read, by any of the processes on this database. Absent while the server is still starting.",
          ),
        provider: dependencySchema,
        speech: dependencySchema.optional().describe("Absent where speech is switched off."),
      })
      .catchall(watcherSchema)
      .describe(
        "Each thing the service depends on, by its name. With several chains also `chain:<chainId>` and, in place of `watcher`, `watcher:<chainId>`.",
      ),
    quota: z
      .object({
        active: z.boolean(),
        missing: z.array(z.string()).describe("What keeps it from being in force, in words."),
      })
      .describe("Whether the quota is in force."),
  })
  .meta({ id: "Readiness" });

export const settingsSchema = z
  .object({
    mode: z.enum(["demo", "development", "production"]),
    chainId: z.int().min(1).describe("The chain the keys live on; part of every signed text."),
    contractAddress: z
      .string()
      .regex(/^0x[0-9a-fA-F]{40}$/)
      .nullable()
      .describe(
        "The contract of the keys, of the first kind where there are several; null for a membership.",
      ),
    keyStandard: z.enum(["erc721", "erc1155", "unlock", "erc4907", "membership"]),
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

export const getSettingsOperation: OperationDescription = {
  method: "get",
  path: "/api/settings",
  operationId: "getSettings",
  tag,
  summary: "Read what a client needs to sign",
  description: "The chain, the contract and the standard of the keys. Nothing here is secret.",
  answers: respondsJson("The public settings.", {
    schema: settingsSchema,
    example: {
      mode: "production",
      chainId: 1,
      contractAddress: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
      keyStandard: "erc721",
      appName: "Latchkey",
      rpcUrlForBrowser: null,
      wallets: {
        chain: { name: "Ethereum", currency: "ETH", rpcUrl: null, explorerUrl: null },
        keyShopUrl: null,
        walletConnect: null,
        base: false,
      },
    },
  }),
};

export const getOpenApiOperation: OperationDescription = {
  method: "get",
  path: "/api/openapi",
  operationId: "getOpenApi",
  tag,
  summary: "Read this description",
  description: "The OpenAPI 3.0.3 description of this gate. A page to read and try it is at `/docs`.",
  parameters: versionHeader,
  refusals: ["not-found"],
  answers: {
    200: {
      description: "This document.",
      headers: ["ETag"],
      content: jsonContent({
        schema: {
          type: "object",
          required: ["openapi", "info", "paths"],
          properties: {
            openapi: { type: "string", enum: ["3.0.3"] },
            info: { type: "object", additionalProperties: true },
            paths: { type: "object", additionalProperties: true },
          },
          additionalProperties: true,
        },
        example: { openapi: "3.0.3", info: { title: "Latchkey API", version: "1.0.0" }, paths: {} },
      }),
    },
    304: {
      description: "The version named in If-None-Match is still the current one.",
      headers: ["ETag"],
    },
  },
};

export const getHealthOperation: OperationDescription = {
  method: "get",
  path: "/healthz",
  operationId: "getHealth",
  tag,
  summary: "Ask whether the process lives",
  description: "Touches nothing outside the process. Answers while the server is still starting, too.",
  respondsWhileStarting: true,
  answers: respondsJson("It does.", { schema: healthSchema, example: { status: "alive" } }),
};

const up = { state: "up", latencyMs: 1.4 };
const down = {
  state: "down",
  latencyMs: 3000,
  detail: "No RPC endpoint of the configured chain answered.",
};
const exampleReadiness = (status: string, chain: object) => {
  const dependencies = { database: up, chain, watcher: { ...up, ageSeconds: 3 }, provider: up, speech: up };
  const example = { status, dependencies, quota: { active: true, missing: [] } };
  return jsonContent({ schema: readinessSchema, example });
};

export const getReadinessOperation: OperationDescription = {
  method: "get",
  path: "/readyz",
  operationId: "getReadiness",
  tag,
  summary: "Ask whether the service can answer",
  description:
    "Asks the database, the chain, how long ago transfers of keys were read, and the providers that are not switched off. One asking is shared by everybody for a second. Answers while the server is still starting, too.",
  respondsWhileStarting: true,
  answers: {
    200: {
      description: "Everything the service cannot do without can be asked.",
      content: exampleReadiness("ready", up),
    },
    503: {
      description: "The database or the chain cannot be asked, or the server is still starting.",
      content: exampleReadiness("unready", down),
    },
  },
};

export const getMetricsOperation: OperationDescription = {
  method: "get",
  path: "/metrics",
  operationId: "getMetrics",
  tag,
  summary: "Read the measurements",
  description: "For Prometheus. Only where the operator has set METRICS_TOKEN; else this address is empty.",
  security: ["metricsToken"],
  refusals: ["authentication-failed", "not-found"],
  answers: {
    200: {
      description: "All measurements, in the Prometheus text format.",
      content: {
        "text/plain": {
          schema: { type: "string" },
          example:
            '# HELP latchkey_refusals_total Refusals by slug.\n# TYPE latchkey_refusals_total counter\nlatchkey_refusals_total{slug="too-many-requests"} 3\n',
        },
      },
    },
  },
};
