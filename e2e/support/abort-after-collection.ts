/**
 * Run with `--expose-gc`. Reads the beginning of a reply, and collects garbage while it holds only the events and the
 * client's controller, as a server does. Then it lets the client leave. Prints the settlement and its duration. The
 * parent records when its server sees the connection close.
 */
import { openaiProvider } from "~/chat/providers/openai.gateway.server";
import { openReply } from "~/chat/reply/reply.server";

const baseUrl = process.argv[2] ?? "";
const collect = globalThis.gc;
if (!collect) throw new Error("Needs --expose-gc");

const client = new AbortController();
const settled: number[] = [];

async function begin() {
  const events = await openReply({
    provider: openaiProvider.connect({ baseUrl, apiKey: "sk-test-key" }),
    model: "small",
    system: "",
    messages: [{ role: "user", text: "Hello?" }],
    tools: [],
    caller: null,
    reservation: { maxOutputTokens: 1_000, settle: async ({ usedTokens }) => void settled.push(usedTokens) },
    maxSteps: 5,
    maxDurationMs: 60_000,
    signal: client.signal,
    shutdownSignal: new AbortController().signal,
    log: { warn: () => undefined },
  });
  for (let read = 0; read < 4; read += 1) await events.next();
  // A waiting pull, as in a reply's writer. Its promise is dropped on purpose.
  void events.next();
}

await begin();
for (let round = 0; round < 10; round += 1) {
  collect();
  await new Promise((resolve) => setTimeout(resolve, 20));
}
console.log(JSON.stringify({ abortedAtMs: Date.now() }));
client.abort();
await new Promise((resolve) => setTimeout(resolve, 20));
console.log(JSON.stringify({ settled }));
