import type { BrowserContext } from "@playwright/test";
import { createPublicClient, http } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { mintTestKey } from "../../../contracts/mint-test-key";
import {
  callingTools,
  fallingSilentAfter,
  neverAnswering,
  refusing,
  saying,
  sayingAtPace,
  startOpenAiServer,
} from "../providers/openai-server";
import type { CompletionCall } from "../providers/openai-server";
import { clientOf } from "~e2e/api/gate-fixture";
import { startGateServer } from "./gate-server";
import type { GateServer } from "./gate-server";
import { test as base } from "./journey";

export const richAnswer = `# A heading

Words with **weight**, *a slant*, \`code\` and [a link](https://example.org/page).

| Key | Holder |
|---|:-:|
| 1 | Ada |
| 2 | <script>alert("no")</script> |

1. first
2. second
   - nested

\`\`\`ts
// A comment
export const answer: number = 42;
\`\`\`

![a picture](https://example.org/picture.png) and [a trap](javascript:alert(1)).

> Said before.

- [x] done
- [ ] open
`;

/** The reply to "steady". Each part follows a call of `goOn`. */
export const steadyParts = [0, 40, 80].map((from) =>
  Array.from({ length: 40 }, (_, index) => `word${from + index}${index === 39 ? ".\n\n" : " "}`),
);

/** Holds a reply until the journey lets it go on. */
function createHold() {
  let release = () => {};
  let released = new Promise<void>((resolve) => (release = resolve));
  return {
    wait: () => released,
    goOn: () => {
      release();
      released = new Promise((resolve) => (release = resolve));
    },
  };
}

/** The question's first word chooses the behaviour. */
async function obey(call: CompletionCall, hold: ReturnType<typeof createHold>): Promise<void> {
  const questions = call.body.messages.filter(({ role }) => role === "user");
  const [order] = (questions.at(-1)?.content ?? "").split(/\s/);
  const last = call.body.messages.at(-1);
  switch (order) {
    case "rich":
      return saying(...(richAnswer.match(/[\s\S]{1,7}/g) ?? []))(call);
    case "count":
      return saying(`Question ${questions.length}, answer ${call.number}, from ${call.body.model}.`)(call);
    case "slow":
      return fallingSilentAfter("The first words, ", "and then silence.")(call);
    case "nothing":
      return neverAnswering(call);
    case "long":
      return sayingAtPace({ words: 3_000, perSecond: 200 })(call);
    case "steady":
      for (const [index, words] of steadyParts.entries()) {
        if (index > 0) await Promise.race([hold.wait(), call.closed]);
        for (const word of words) if (!call.isClosed()) await call.text(word);
      }
      return call.finish();
    case "down":
      return refusing({ status: 503, message: "out of order" })(call);
    case "halfway":
      await call.text("Half an ans");
      call.response.end();
      return;
    case "tools":
      if (last?.role === "tool") return saying("That is what I found.")(call);
      return callingTools(
        { id: "one", name: "libsql_search", fragments: ['{"query":', '"one-time form"}'] },
        { id: "two", name: "no_such_tool", fragments: ["{}"] },
      )(call);
    default:
      return saying("Understood.")(call);
  }
}

export type ModelServer = GateServer & {
  countCalls: () => number;
  /** Releases the waiting replies. */
  goOn: () => void;
};

type Servers = {
  /** A local provider follows commands, with two models to choose from. */
  modelServer: ModelServer;
  /** For holders only, with a low quota and rate limit. */
  holdersServer: GateServer;
  /** For holders only. One reply reserves all tokens of a key. */
  crowdedServer: ModelServer;
  /** Reads one piece aloud in ten seconds to each visitor. */
  hurriedSpeechServer: ModelServer;
  /** Reads nothing aloud. */
  silentServer: ModelServer;
};

/** `env` adds or replaces settings. */
export async function startModelServer(env: Record<string, string> = {}): Promise<ModelServer> {
  const hold = createHold();
  const provider = await startOpenAiServer((call) => obey(call, hold));
  const server = await startGateServer({
    env: {
      AI_PROVIDER: "local",
      AI_BASE_URL: provider.baseUrl,
      AI_MODELS: "small,large",
      AI_CHAT_MAX_OUTPUT_TOKENS: "20000",
      AI_CHAT_MAX_DURATION: "110",
      RATE_LIMIT_CHAT: "0",
      ...env,
    },
  });
  return {
    ...server,
    countCalls: () => provider.calls.length,
    goOn: hold.goOn,
    stop: async () => {
      await server.stop();
      await provider.close();
    },
  };
}

export async function startHoldersServer(): Promise<GateServer> {
  return startGateServer({
    env: {
      NEXT_PUBLIC_AI_CHAT_REQUIRES_JWT: "true",
      AI_OFFLINE_WORD_MS: "0",
      AI_CHAT_QUOTA_TOKENS: "150",
      AI_CHAT_MAX_OUTPUT_TOKENS: "150",
      RATE_LIMIT_CHAT: "5/60",
    },
  });
}

// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- Playwright wants the empty list.
export const test = base.extend<{}, Servers>({
  modelServer: [
    // eslint-disable-next-line no-empty-pattern -- Playwright wants the braces.
    async ({}, use) => {
      const server = await startModelServer();
      await use(server);
      await server.stop();
    },
    { scope: "worker", timeout: 60_000 },
  ],
  holdersServer: [
    // eslint-disable-next-line no-empty-pattern -- Playwright wants the braces.
    async ({}, use) => {
      const server = await startHoldersServer();
      await use(server);
      await server.stop();
    },
    { scope: "worker", timeout: 60_000 },
  ],
  crowdedServer: [
    // eslint-disable-next-line no-empty-pattern -- Playwright wants the braces.
    async ({}, use) => {
      const server = await startModelServer({
        NEXT_PUBLIC_AI_CHAT_REQUIRES_JWT: "true",
        AI_CHAT_QUOTA_TOKENS: "20000",
      });
      await use(server);
      await server.stop();
    },
    { scope: "worker", timeout: 60_000 },
  ],
  hurriedSpeechServer: [
    // eslint-disable-next-line no-empty-pattern -- Playwright wants the braces.
    async ({}, use) => {
      const server = await startModelServer({ RATE_LIMIT_TTS: "1/10" });
      await use(server);
      await server.stop();
    },
    { scope: "worker", timeout: 60_000 },
  ],
  silentServer: [
    // eslint-disable-next-line no-empty-pattern -- Playwright wants the braces.
    async ({}, use) => {
      const server = await startModelServer({ TTS_PROVIDER: "disabled" });
      await use(server);
      await server.stop();
    },
    { scope: "worker", timeout: 60_000 },
  ],
});

/** A new key, and the cookie in its holder's browser. */
export async function signInByCookie(server: GateServer, context: BrowserContext) {
  const privateKey = generatePrivateKey();
  const account = privateKeyToAccount(privateKey);
  const client = createPublicClient({ transport: http(server.rpcUrl) });
  const tenEther = "0x8ac7230489e80000";
  await client.request({ method: "anvil_setBalance" as never, params: [account.address, tenEther] as never });
  const { chainId, contractAddress, rpcUrl, baseUrl } = server;
  const tokenId = await mintTestKey({ account, chainId, contractAddress, rpcUrl });
  const { body } = await clientOf({ origin: baseUrl }).signIn({ account, tokenId });
  await context.addCookies([
    {
      name: "access_token",
      value: String(body.accessToken),
      url: baseUrl,
      httpOnly: true,
      sameSite: "Strict",
    },
  ]);
  return { privateKey, tokenId };
}
