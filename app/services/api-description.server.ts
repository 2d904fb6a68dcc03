import { describeChat, describeModels } from "~/chat/chat.openapi";
import { describeResume } from "~/chat/resume.openapi";
import { describeContent } from "~/content/content.openapi";
import { describeDemo } from "~/demo/demo.openapi";
import { describeDoor } from "~/door/door.openapi";
import { describeGate } from "~/gate/admission/gate.openapi";
import { describeKeys } from "~/gate/kinds/keys.openapi";
import { describeSession } from "~/gate/session/session.openapi";
import { describeBrand } from "~/platform/brand/brand.openapi";
import { findHiddenPaths, findMovedPaths } from "~/settings.server";
import type { Config } from "~/settings.server";
import { createStaticResponse } from "~/platform/http/responses.server";
import type { StaticResponse } from "~/platform/http/responses.server";
import type { RateLimit } from "~/platform/limits/limit-name";
import { ApiRegistry } from "~/platform/openapi/api-registry";
import type { OpenApiDocument } from "~/platform/openapi/api-registry";
import { describeService } from "~/platform/openapi/service.openapi";
import { describeQuota } from "~/quota/quota.openapi";
import { groupOperations } from "~/reference/read-operations";
import type { ApiDocument, OperationGroup } from "~/reference/read-operations";
import { readProblems } from "~/reference/read-problems";
import type { ProblemPage } from "~/reference/read-problems";
import { describeTools } from "~/tools/tools.openapi";
import { describeSpeech } from "~/speech/speech.openapi";
import { version } from "../../package.json";

type ApiFacts = {
  origin: string;
  limits: Readonly<Record<string, RateLimit>>;
  isDemo: boolean;
  /** Default paths, and the operator's. */
  movedPaths?: Readonly<Record<string, string>>;
  hiddenPaths?: readonly string[];
};

const maxAgeSeconds = 300;

const introduction = `A gate that opens for whoever holds a key NFT.

1. \`GET /api/nonce\`, and put the nonce into an EIP-4361 message.
2. Sign the message with the wallet that holds the key, and send it to \`POST /api/gate-access\`.
3. The answer holds what the key opens, and an access token for further calls.

**Errors** are Problem Details (RFC 9457): \`type\` names the kind and opens a page about it, \`detail\` says what was wrong, \`instance\` is the id of the request. A few operations answer \`{error}\` instead; each shows its own.

**Limits** count per client and per address. Answers of limited addresses carry \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\`, \`RateLimit\` and \`RateLimit-Policy\`; a refusal says in \`Retry-After\` how many seconds to wait.

**Methods**: an address that has GET answers HEAD too, without effect. OPTIONS names the methods and answers preflights, for the origins the operator has allowed.`;

export function buildApiDocument({ isDemo, ...options }: ApiFacts): OpenApiDocument {
  const api = new ApiRegistry(options);
  describeGate(api);
  describeKeys(api);
  describeSession(api);
  describeDoor(api);
  describeContent(api);
  describeChat(api);
  describeResume(api);
  describeModels(api);
  describeSpeech(api);
  describeQuota(api);
  describeTools(api);
  describeService(api);
  describeBrand(api);
  if (isDemo) describeDemo(api);
  return api.toDocument({ title: "Latchkey API", version, description: introduction });
}

type Published = { origin: string; config: Pick<Config, "limits" | "mode" | "chat" | "tools" | "doorSites"> };

let published: string | undefined;
let made: StaticResponse | undefined;
let groups: OperationGroup[] | undefined;
let problems: readonly ProblemPage[] | undefined;

/** Made on first use, like everything below. */
function getPublished(site: Published): string {
  return (published ??= JSON.stringify(describe(site)));
}

function readPublished(site: Published): ApiDocument {
  return JSON.parse(getPublished(site)) as ApiDocument;
}

function describe({ origin, config }: Published): OpenApiDocument {
  const { limits, mode } = config;
  const paths = { movedPaths: findMovedPaths(config), hiddenPaths: findHiddenPaths(config) };
  return buildApiDocument({ origin, limits, isDemo: mode === "demo", ...paths });
}

export function getApiDescription(site: Published): StaticResponse {
  made ??= createStaticResponse(getPublished(site), "application/json; charset=utf-8", maxAgeSeconds);
  return made;
}

/** The page lists them before scripts run. */
export function getOperationGroups(site: Published): OperationGroup[] {
  return (groups ??= groupOperations(readPublished(site)));
}

/** Made even if the description is not published. */
export function getProblemPages(site: Published): readonly ProblemPage[] {
  return (problems ??= readProblems(readPublished(site), site.origin, describeWhole(site)));
}

/** Includes features that are switched off. */
function describeWhole({ origin, config }: Published): ApiDocument | undefined {
  const { chat, tools } = config;
  if (chat.isOn && tools.mcpPath !== null) return undefined;
  const whole = {
    ...config,
    chat: { ...chat, isOn: true },
    tools: { ...tools, mcpPath: tools.mcpPath ?? "/api/mcp" },
  };
  return JSON.parse(JSON.stringify(describe({ origin, config: whole }))) as ApiDocument;
}
