import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { problemsOf, production as smallest } from "~e2e/support/config";
import { firstKind } from "~/gate/kinds/kind";
import { chatProviders } from "~/chat/providers/chat-providers.server";
import { renderEnvExample, renderSettingsPage } from "~e2e/repository/render-settings";
import { listEntries } from "~/platform/config/setting";
import { getProvider } from "~/platform/providers/provider-row";
import { parseConfig, settingGroups, settings } from "./settings.server";

const contract = smallest.KEY_CONTRACT_ADDRESS;
const production = { ...smallest, RPC_URL: "https://rpc.example.com, https://other.example.com" };

test("a small production environment is read with the documented defaults", () => {
  const config = parseConfig(production);
  expect(config.mode).toBe("production");
  expect(config.serving.port).toBe(3000);
  expect(config.serving.domains).toEqual(["gate.example.com"]);
  expect(config.chains[0]?.rpcUrls).toEqual(["https://rpc.example.com", "https://other.example.com"]);
  expect(firstKind(config.keys).contract).toBe(contract.toLowerCase());
  expect(config.jwt).toMatchObject({ alg: "HS256", accessTtlSeconds: 900, clockToleranceSeconds: 5 });
  expect(config.limits.nonce).toEqual({ points: 30, windowSeconds: 60, algorithm: "sliding" });
  expect(config.state.enabled).toBe(true);
  expect(config.database.url).toMatch(/^file:.*data\/latchkey\.db$/);
  expect(config.warnings).toEqual([]);
});

test("every mistake is listed at once, by name and without any value", () => {
  const secretValue = "short-and-secret";
  const environment = {
    ...production,
    JWT_SECRET: secretValue,
    PORT: "seventy",
    JWT_ACCESS_TTL: "299",
    RATE_LIMIT_NONCE: "lots",
    NEXT_PUBLIC_DOMAIN: "not a domain",
    KEY_STANDARD: "erc20",
    TRUST_PROXY: "everybody",
    DATABASE_URL: "mysql://root:hunter2@db",
    WEBHOOK_URL: "https://hooks.example.com/private-path",
  };
  const problems = problemsOf(environment);
  for (const name of Object.keys(environment).filter(
    (name) => !(name in production) || name === "JWT_SECRET",
  )) {
    if (name === "WEBHOOK_URL") continue;
    expect(
      problems.some((problem) => problem.startsWith(name)),
      name,
    ).toBe(true);
  }
  expect(problems.some((problem) => problem.startsWith("WEBHOOK_SECRET"))).toBe(true);
  const text = problems.join("\n");
  for (const value of [secretValue, "seventy", "lots", "hunter2", "private-path"])
    expect(text).not.toContain(value);
});

test("workers are one, a number up to 64, or as many as there are cores", () => {
  const workersOf = (WORKERS?: string) => parseConfig({ ...production, WORKERS }).serving.workers;
  expect([undefined, "1", "64", "auto", "AUTO"].map(workersOf)).toEqual([1, 1, 64, "auto", "auto"]);
  for (const WORKERS of ["0", "65", "-1", "1.5", "1e1", "all"]) {
    expect(problemsOf({ ...production, WORKERS })).toEqual(["WORKERS must be 1 to 64, or `auto`."]);
  }
});

test("state is in the database, or in a Redis that is named with its credentials", () => {
  expect(parseConfig(production).state).toEqual({ enabled: true, redis: null });
  const url = "rediss://cache.example.com:6380/2";
  expect(parseConfig({ ...production, STATE_WORKER_URL: url }).state.redis).toEqual({ url, password: null });
  const withKey = { ...production, STATE_WORKER_URL: url, STATE_WORKER_API_KEY: "hunter3" };
  expect(parseConfig(withKey).state.redis).toEqual({ url, password: "hunter3" });
  expect(problemsOf({ ...production, STATE_WORKER_URL: " ", STATE_WORKER_API_KEY: "" })).toEqual([]);
});

test.each([
  ["STATE_WORKER_URL", { STATE_WORKER_URL: "https://hunter2.example.com" }],
  ["STATE_WORKER_URL", { STATE_WORKER_URL: "hunter2" }],
  ["STATE_WORKER_API_KEY", { STATE_WORKER_API_KEY: "hunter2" }],
  [
    "STATE_WORKER_API_KEY",
    { STATE_WORKER_URL: "redis://:hunter2@cache.example.com", STATE_WORKER_API_KEY: "hunter3" },
  ],
])("a state service that is half configured is refused, naming %s (%j)", (name, environment) => {
  const problems = problemsOf({ ...production, ...environment });
  expect(problems.map((problem) => problem.split(" ")[0])).toEqual([name]);
  expect(problems.join()).not.toMatch(/hunter|cache\.example/);
});

test.each(["hunter#2", "hunter/2", "hunter?2", "hunter%ff", "12#ab", "12/ab", "12?ab", "/12", "#12"])(
  "a database password that would be misread, %j, is refused with how to write it",
  (password) => {
    const addressWith = (written: string) =>
      `postgresql://latchkey:${written}@db.example.com:5432/latchkey?application_name=gate`;
    const [problem, ...others] = problemsOf({ ...production, DATABASE_URL: addressWith(password) });
    expect(problem).toMatch(/^DATABASE_URL cannot be read.*%23 %2F %3F %25/);
    expect(others).toEqual([]);
    expect(problem).not.toMatch(/hunter|12|ab@|db\.example/);
    const written = addressWith(encodeURIComponent(password));
    expect(parseConfig({ ...production, DATABASE_URL: written }).database.url).toBe(written);
  },
);

test.each([
  "postgresql://u:100%!@db.example.com/latchkey",
  "postgresql://u:hunter%2@db.example.com/latchkey",
  "postgresql://u:p@ss@db.example.com/latchkey",
  "postgresql://u:pw@/latchkey?host=/run/postgresql",
  "postgresql:///latchkey?host=/run/postgresql&user=u",
  "postgresql://u:pw@%2Frun%2Fpostgresql/latchkey",
  "postgresql://db.example.com/latchkey?user=u@tenant&password=pw",
  "postgresql://db.example.com:5432/latchkey",
  "postgres://u:pw@[::1]:5432/latchkey?sslmode=no-verify&sslrootcert=/not/there.pem",
])("a database address that the driver understands is accepted: %s", (DATABASE_URL) => {
  expect(problemsOf({ ...production, DATABASE_URL })).toEqual([]);
});

test("production refuses the defaults of other modes", () => {
  const problems = problemsOf({});
  for (const name of ["CHAIN_ID", "RPC_URL", "KEY_CONTRACT_ADDRESS", "JWT_SECRET"]) {
    expect(
      problems.some((problem) => problem.startsWith(name)),
      name,
    ).toBe(true);
  }
});

test("production refuses demo keys and a plain-HTTP origin, but accepts loopback ones", () => {
  const demoSecret = "demo-0123456789abcdef0123456789abcdef";
  expect(problemsOf({ ...production, JWT_SECRET: demoSecret })).toHaveLength(1);
  expect(problemsOf({ ...production, PUBLIC_ORIGIN: "http://gate.example.com" })).toHaveLength(1);
  expect(problemsOf({ ...production, PUBLIC_ORIGIN: "http://localhost:3000" })).toEqual([]);
  expect(problemsOf({ ...production, PUBLIC_ORIGIN: "http://127.0.0.1:3000" })).toEqual([]);
});

test("signed pages may be of plain HTTP in every mode but production", () => {
  const modes = ["production", "development", "demo"];
  const allowed = modes.filter(
    (mode) => parseConfig({ ...production, LATCHKEY_MODE: mode }).gate.allowsPlainHttp,
  );
  expect(allowed).toEqual(["development", "demo"]);
});

test("production refuses further plain-HTTP origins except loopback ones, and other modes accept them", () => {
  const plain = { CORS_ORIGINS: "https://a.example.com,http://app.example.com,http://b.example.com" };
  expect(problemsOf({ ...production, ...plain })).toEqual([
    expect.stringMatching(/^CORS_ORIGINS must begin with https:\/\/ in production/),
  ]);
  for (const mode of ["development", "demo"]) {
    expect(parseConfig({ ...production, ...plain, LATCHKEY_MODE: mode }).serving.corsOrigins).toEqual(
      plain.CORS_ORIGINS.split(","),
    );
  }
  const loopback = ["http://localhost:5173", "http://app.localhost", "http://127.0.0.1:3000", "http://[::1]"];
  const { serving } = parseConfig({ ...production, CORS_ORIGINS: loopback.join() });
  expect(serving.corsOrigins).toEqual(loopback);
});

test("a key must be one block deep before it is used up by default, none on local chains, or as many as configured", () => {
  const depthOf = (env: Record<string, string>) =>
    parseConfig({ ...production, ...env }).chains[0]?.keyUseConfirmations;
  expect(depthOf({ CHAIN_ID: "1" })).toBe(1);
  expect(depthOf({ CHAIN_ID: "31337" })).toBe(0);
  expect(depthOf({ CHAIN_ID: "1337" })).toBe(0);
  expect(depthOf({ CHAIN_ID: "31337", KEY_USE_CONFIRMATIONS: "3" })).toBe(3);
  expect(depthOf({ CHAIN_ID: "1", KEY_USE_CONFIRMATIONS: "0" })).toBe(0);
  expect(depthOf({ KEY_USE_CONFIRMATIONS: "64" })).toBe(64);
  for (const text of ["65", "-1", "1.5", "some"]) {
    expect(() => depthOf({ KEY_USE_CONFIRMATIONS: text })).toThrow("KEY_USE_CONFIRMATIONS");
  }
});

test("a local chain is allowed in production, with a warning", () => {
  const { warnings } = parseConfig({ ...production, CHAIN_ID: "31337" });
  expect(warnings.some((warning) => warning.startsWith("CHAIN_ID"))).toBe(true);
});

test.each([
  ["JWT_SECRET", "9f2c41d07be86a35c1f4e0927d5ab36", "9f2c41d07be86a35c1f4e0927d5ab368"],
  ["JWT_ACCESS_TTL", "299", "300"],
  ["JWT_ACCESS_TTL", "86401", "86400"],
  ["SESSION_MAX_SECONDS", "1", "0"],
  ["SESSION_MAX_SECONDS", "299", "300"],
  ["SESSION_MAX_SECONDS", "2592001", "2592000"],
  ["RATE_LIMIT_GATE_ACCESS", "0/60", "1/1"],
  ["RATE_LIMIT_GATE_ACCESS", "60", "0"],
  ["PORT", "65536", "65535"],
  ["CORS_ORIGINS", "*", "https://app.example.com"],
  ["CORS_ORIGINS", "null", "http://localhost:5173"],
  ["PUBLIC_ORIGIN", "https://gate.example.com/path", "https://gate.example.com"],
  ["KEY_CONTRACT_ADDRESS", "0x5fbdb2315678afecb367f032d93f642f64180aA3", contract],
  ["RPC_URL", "ftp://rpc.example.com", "http://127.0.0.1:8545"],
  ["NEXT_PUBLIC_ENABLE_STATE_WORKER", "maybe", "false"],
  ["LEGACY_SIGNATURES", "sometimes", "fallback"],
  ["NEXT_PUBLIC_AI_CHAT_REQUIRES_JWT", "perhaps", "true"],
  ["NEXT_PUBLIC_AI_CHAT_API_PATH", "https://example.com/chat", "/ai/v2/chat"],
  ["NEXT_PUBLIC_AI_CHAT_API_PATH", "/api//chat", "/talk"],
  ["NEXT_PUBLIC_AI_CHAT_API_PATH", "/../chat", "/api/my.chat"],
  ["AI_PROVIDER", "oracle", "offline"],
  ["AI_BASE_URL", "http://127.0.0.1:8080/v2", "http://127.0.0.1:8080/v1"],
  ["AI_BASE_URL", "http://user:pass@127.0.0.1/v1", "http://127.0.0.1/v1"],
  ["OPENAI_BASE_URL", "https://proxy.example.com/v1?key=1", "https://proxy.example.com/v1"],
  ["CLOUDFLARE_ACCOUNT_ID", "../../zones", "0123456789abcdef0123456789abcdef"],
  ["AI_CHAT_MAX_OUTPUT_TOKENS", "0", "1"],
  ["AI_CHAT_MAX_DURATION", "0", "3600"],
  ["AI_CHAT_MAX_STEPS", "51", "1"],
  ["AI_OFFLINE_WORD_MS", "-1", "0"],
  ["AI_CHAT_QUOTA_ENABLED", "si", "off"],
  ["AI_CHAT_QUOTA_TOKENS", "0", "1"],
  ["AI_CHAT_QUOTA_TOKENS", "2e4", "1000000000"],
  ["AI_CHAT_QUOTA_WINDOW_SEC", "0", "1"],
  ["RATE_LIMIT_CHAT", "twenty", "0"],
  ["RATE_LIMIT_TTS", "1/0", "20/60"],
  ["TTS_PROVIDER", "parrot", "disabled"],
  ["TTS_BASE_URL", "http://127.0.0.1:8880", "http://127.0.0.1:8880/v1/"],
  ["TTS_VOICE", "alloy", "kal16"],
  ["TTS_QUOTA_CHARACTERS", "many", "0"],
  ["ELEVENLABS_VOICE_ID", "../voices", "21m00Tcm4TlvDq8ikWAM"],
  ["ELEVENLABS_BASE_URL", "https://user:pw@proxy.example.com", "https://proxy.example.com/v1"],
  ["RATE_LIMIT_QUOTA_RESET", "5", "5/60"],
  ["RATE_LIMIT_OPERATOR", "5", "5/60"],
  ["RATE_LIMIT_OPERATOR_CHECK", "30", "30/60"],
  ["OPERATOR_DECISIONS_DAYS", "366", "0"],
])("%s refuses %s and accepts %s", (name, refused, taken) => {
  expect(problemsOf({ ...production, [name]: refused }).map((problem) => problem.split(" ")[0])).toEqual([
    name,
  ]);
  expect(problemsOf({ ...production, [name]: taken })).toEqual([]);
});

test("chat has its documented defaults and requires no setting", () => {
  const { chat, quota, limits } = parseConfig(production);
  expect(chat).toMatchObject({
    isOn: true,
    requiresJwt: false,
    resumeSeconds: 300,
    resumeOpen: 4,
    apiPath: "/api/chat",
    provider: "offline",
    models: ["offline"],
    openai: { apiKey: null, baseUrl: "https://api.openai.com/v1" },
    workersAi: { accountId: null, apiToken: null, baseUrl: null },
    local: { baseUrl: null },
    systemPrompt: null,
    maxOutputTokens: 2000,
    maxDurationSeconds: 30,
    maxSteps: 5,
    offlineWordMs: 30,
  });
  expect(quota).toMatchObject({
    enabled: true,
    tokens: 20_000,
    windowSeconds: 86_400,
    resetSecret: null,
  });
  expect(limits.chat).toEqual({ points: 20, windowSeconds: 60, algorithm: "fixed" });
  expect(limits["quota-reset"]).toEqual({ points: 5, windowSeconds: 60, algorithm: "fixed" });
});

/** The choice that a provider which costs money asks for. */
const forAll = { NEXT_PUBLIC_AI_CHAT_REQUIRES_JWT: "false" };

test.each([
  ["AI_PROVIDER is openai", { AI_PROVIDER: "openai", OPENAI_API_KEY: "key" }],
  [
    "AI_PROVIDER is workers-ai",
    { AI_PROVIDER: "workers-ai", CLOUDFLARE_ACCOUNT_ID: "0123abcd", CLOUDFLARE_API_TOKEN: "token" },
  ],
  ["TTS_PROVIDER is openai", { TTS_PROVIDER: "openai", OPENAI_API_KEY: "key" }],
  [
    "TTS_PROVIDER is elevenlabs",
    {
      AI_PROVIDER: "disabled",
      TTS_PROVIDER: "elevenlabs",
      ELEVENLABS_API_KEY: "key",
      ELEVENLABS_VOICE_ID: "voice",
    },
  ],
  ["EMBEDDING_MODEL is asked of openai", { EMBEDDING_MODEL: "a-model", OPENAI_API_KEY: "key" }],
])("where %s, production asks who may spend the money, and takes either answer", (what, provider) => {
  const choice = "NEXT_PUBLIC_AI_CHAT_REQUIRES_JWT";
  const environment: Record<string, string> = { ...production, ...provider };
  expect(problemsOf(environment)).toEqual([expect.stringContaining(`${choice} must be set when ${what}: `)]);
  expect(problemsOf({ ...environment, [choice]: " " })).toHaveLength(1);
  for (const value of ["true", "false"]) expect(problemsOf({ ...environment, [choice]: value })).toEqual([]);
  expect(problemsOf({ ...environment, LATCHKEY_MODE: "development" })).toEqual([]);
});

test("a provider of one's own and the embedded ones ask no such choice", () => {
  const own = { AI_BASE_URL: "http://127.0.0.1:1/v1", TTS_BASE_URL: "http://127.0.0.1:2/v1" };
  expect(problemsOf({ ...production, ...own, AI_PROVIDER: "local", TTS_PROVIDER: "local" })).toEqual([]);
  expect(problemsOf({ ...production, AI_PROVIDER: "disabled", TTS_PROVIDER: "flite" })).toEqual([]);
});

test("the server listens on the loopback address unless it is told otherwise", () => {
  expect(parseConfig(production).serving.host).toBe("127.0.0.1");
  expect(parseConfig({ ...production, HOST: "0.0.0.0" }).serving.host).toBe("0.0.0.0");
});

test.each([
  ["openai", { OPENAI_API_KEY: "key" }],
  ["workers-ai", { CLOUDFLARE_ACCOUNT_ID: "0123abcd", CLOUDFLARE_API_TOKEN: "token" }],
  ["local", { AI_BASE_URL: "http://127.0.0.1:11434/v1" }],
])("the provider %s requires each of its settings by name", (provider, needed) => {
  const environment = { ...production, ...forAll, AI_PROVIDER: provider };
  expect(problemsOf(environment).map((problem) => problem.split(" ")[0])).toEqual(Object.keys(needed));
  expect(problemsOf({ ...environment, ...needed })).toEqual([]);
  expect(parseConfig({ ...environment, ...needed }).chat).toMatchObject({ provider });
});

test.each([
  ["openai", { OPENAI_API_KEY: "key" }],
  ["elevenlabs", { ELEVENLABS_API_KEY: "key", ELEVENLABS_VOICE_ID: "voice" }],
  ["local", { TTS_BASE_URL: "http://127.0.0.1:8880/v1" }],
])("speech by %s requires each of its settings by name", (provider, needed) => {
  const environment = { ...production, ...forAll, TTS_PROVIDER: provider };
  expect(problemsOf(environment).map((problem) => problem.split(" ")[0])).toEqual(Object.keys(needed));
  expect(parseConfig({ ...environment, ...needed, TTS_VOICE: "any" }).speech).toMatchObject({ provider });
});

test("speech requires no setting, and an address alone chooses that server", () => {
  expect(parseConfig(production).speech).toMatchObject({
    provider: "flite",
    voice: null,
    quotaCharacters: 50_000,
  });
  const address = { ...production, TTS_BASE_URL: "http://127.0.0.1:8880/v1" };
  expect(parseConfig(address).speech.provider).toBe("local");
  expect(parseConfig({ ...address, TTS_PROVIDER: "disabled" }).speech.provider).toBe("disabled");
});

test("provider addresses lose their trailing slash, and the account forms the Workers AI address", () => {
  const { chat } = parseConfig({
    ...production,
    AI_BASE_URL: "http://127.0.0.1:8080/v1/",
    OPENAI_BASE_URL: "https://proxy.example.com/openai/v1//",
    CLOUDFLARE_ACCOUNT_ID: "0123abcd",
    AI_MODELS: "small, large,,small",
  });
  expect(chat.local.baseUrl).toBe("http://127.0.0.1:8080/v1");
  expect(chat.openai.baseUrl).toBe("https://proxy.example.com/openai/v1");
  const { baseUrl } = getProvider(chatProviders, "workers-ai").locate!(chat);
  expect(baseUrl).toBe("https://api.cloudflare.com/client/v4/accounts/0123abcd/ai/v1");
  expect(chat.models).toEqual(["small", "large"]);
});

const warningsOf = (environment: Record<string, string>) =>
  parseConfig({ ...production, ...environment }).warnings;

test("a provider without a known model is reported where no model is named", () => {
  const local = { AI_PROVIDER: "local", AI_BASE_URL: "http://127.0.0.1:1/v1" };
  expect(warningsOf(local)).toEqual([
    "AI_MODELS is not set: the local server is asked for a model called `default`.",
  ]);
  expect(warningsOf({ ...local, AI_MODELS: "small" })).toEqual([]);
  expect(warningsOf({ ...forAll, AI_PROVIDER: "openai", OPENAI_API_KEY: "k" })).toEqual([]);
});

test("names that PostgreSQL's driver would read are reported as unused, without their values", () => {
  const { warnings } = parseConfig({ ...production, PGUSER: "hunter2", PGSSLMODE: "no-verify" });
  expect(warnings).toEqual([
    "Not read, since DATABASE_URL alone says how PostgreSQL is reached: PGSSLMODE, PGUSER.",
  ]);
  expect(settings.filter(({ name }) => name.startsWith("PG"))).toEqual([]);
});

test.each([
  [{ PUBLIC_ORIGIN: "https://gate.example.com" }, false],
  [{ PUBLIC_ORIGIN: "https://gate.example.com:443" }, false],
  [{ PUBLIC_ORIGIN: "https://www.gate.example.com" }, true],
  [{ PUBLIC_ORIGIN: "https://gate.example.com:8443" }, true],
  [{ PUBLIC_ORIGIN: "http://localhost:3000" }, true],
  [{ PUBLIC_ORIGIN: "http://localhost:3000", NEXT_PUBLIC_DOMAIN: undefined }, false],
  [{ PUBLIC_ORIGIN: "http://localhost:3001", NEXT_PUBLIC_DOMAIN: undefined }, true],
  [{ PUBLIC_ORIGIN: "http://localhost:4000", NEXT_PUBLIC_DOMAIN: undefined, PORT: "0" }, false],
  [{ PUBLIC_ORIGIN: "https://gate.example.com", NEXT_PUBLIC_DOMAIN: undefined, PORT: "0" }, true],
  [{}, false],
])("with %j the public origin is reported as missing from the list: %s", (environment, isPointedOut) => {
  const { warnings } = parseConfig({ ...production, ...environment });
  expect(warnings.some((warning) => warning.startsWith("PUBLIC_ORIGIN"))).toBe(isPointedOut);
});

test("the local chain's defaults apply outside production, but the contract must be named", () => {
  expect(problemsOf({ LATCHKEY_MODE: "development" }).map((problem) => problem.split(" ")[0])).toEqual([
    "KEY_CONTRACT_ADDRESS",
  ]);
  const { chains } = parseConfig({ LATCHKEY_MODE: "development", KEY_CONTRACT_ADDRESS: contract });
  expect(chains[0]).toMatchObject({ id: 31337, rpcUrls: ["http://127.0.0.1:8545"] });
});

test.each([
  [".env.example", renderEnvExample],
  ["docs/settings.md", renderSettingsPage],
])("%s is what the rows of settings render", (file, render) => {
  expect(readFileSync(file, "utf8"), "Run `npm run env-example`.").toBe(render(settingGroups));
});

test("there are at most 100 settings, each family counted once", () => {
  expect(listEntries(settings).length).toBeLessThanOrEqual(100);
});

test("every setting says what it takes", () => {
  expect(settings.filter(({ range }) => range.trim() === "").map(({ name }) => name)).toEqual([]);
});

test("the parser reads exactly the listed settings", () => {
  const readNames = new Set<string>();
  // The other trace settings are required only if there is an endpoint.
  const given = {
    ...production,
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318",
    RPC_URL_10: "https://rpc.example.com",
  };
  const environment = new Proxy(given as Record<string, string>, {
    get: (target, name: string) => {
      readNames.add(name.replace("RPC_URL_10", "RPC_URL_<chainId>"));
      return target[name];
    },
  });
  parseConfig(environment);
  const listed = settings.map(({ name }) => name);
  expect(listed.filter((name) => !readNames.has(name))).toEqual([]);
  expect([...readNames].filter((name) => !listed.includes(name))).toEqual([]);
});
