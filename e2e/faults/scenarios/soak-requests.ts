import { hello } from "~e2e/api/chat-fixture";
import { bodyOf } from "../client";
import type { Exchange, Question } from "../client";
import type { Dice } from "../dice";
import { askAsHolder, bearerOf, enter, from, renew } from "./soak-visits";
import type { Day } from "./soak-visits";

/** One request as a day has it, and whether it was answered as it should be. */
export type Action = { name: string; weight: number; act: (day: Day) => Promise<boolean> };

const sentences = ["Welcome.", "The lamp is lit.", "Mind the step.", "The tide is out.", "Good night."];
const questions = ["What is the one-time form?", "How is a backup made?", "Which tools are there?", "tokens"];

const isOk = ({ status }: Exchange) => status === 200;

async function isServed(day: Day, path: string): Promise<boolean> {
  return isOk(await day.client.ask({ path, headers: from(day) }));
}

type Asked = Pick<Question, "path" | "json"> & { headers?: Record<string, string> };

function postAsHolder({ day, path, json }: Asked & { day: Day }): Promise<Exchange> {
  return askAsHolder(day, (pass) => ({
    path,
    method: "POST",
    json,
    headers: { ...from(day), ...bearerOf(pass) },
  }));
}

async function isReplied(day: Day, method: string, params?: unknown) {
  const json = { jsonrpc: "2.0", id: 1, method, params };
  const exchange = await postAsHolder({ day, path: "/api/mcp", json });
  const { result } = bodyOf(exchange) as { result?: { isError?: boolean } };
  return isOk(exchange) && result !== undefined && !result.isError;
}

const someKey = ({ dice, visits }: Day) => String(1 + Math.floor(dice.next() * visits.length * 2));

const toolCalls: readonly ((day: Day) => { name: string; arguments: unknown })[] = [
  ({ dice }) => ({ name: "libsql_search", arguments: { query: dice.pick(questions) } }),
  (day) => ({ name: "key_status", arguments: { tokenId: someKey(day) } }),
  () => ({ name: "get_gated_content", arguments: {} }),
];

const actions: readonly Action[] = [
  {
    name: "pages",
    weight: 3,
    act: (day) => isServed(day, day.dice.pick(["/", "/gate", "/chat", "/docs"])),
  },
  { name: "nonces", weight: 25, act: (day) => isServed(day, "/api/nonce") },
  {
    name: "key states",
    weight: 20,
    act: (day) => isServed(day, `/api/token-status/${someKey(day)}`),
  },
  {
    name: "lists of tools",
    weight: 8,
    act: (day) => isReplied(day, day.dice.pick(["ping", "tools/list"])),
  },
  {
    name: "tool calls",
    weight: 10,
    act: (day) => isReplied(day, "tools/call", day.dice.pick(toolCalls)(day)),
  },
  {
    name: "pieces of audio",
    weight: 10,
    act: async (day) => {
      const start = Math.floor(day.dice.next() * 10_000);
      const headers = { ...from(day), Range: `bytes=${start}-${start + 8_191}` };
      const { status } = await askAsHolder(day, ({ audioPath }) => ({ path: audioPath, headers }));
      return status === 206;
    },
  },
  {
    name: "sentences read aloud",
    weight: 8,
    act: async (day) =>
      isOk(await postAsHolder({ day, path: "/api/tts", json: { text: day.dice.pick(sentences) } })),
  },
  {
    name: "rooms entered again",
    weight: 8,
    act: async (day) => isOk(await postAsHolder({ day, path: "/api/gate-access", json: {} })),
  },
  { name: "sign-ins", weight: 2, act: (day) => enter(day, day.dice.pick(day.visits)) },
  { name: "sessions renewed", weight: 2, act: (day) => renew(day, day.dice.pick(day.visits)) },
  {
    name: "conversations",
    weight: 2,
    act: async (day) => isWholeAnswer(await postAsHolder({ day, path: "/api/chat", json: hello })),
  },
  {
    name: "quotas read",
    weight: 2,
    act: async (day) => {
      const write = (pass: { token: string }) => ({ path: "/api/quota", headers: bearerOf(pass) });
      return isOk(await askAsHolder(day, write));
    },
  },
];

export function isWholeAnswer({ status, text }: Exchange): boolean {
  return status === 200 && text.endsWith("data: [DONE]\n\n") && !text.includes('"type":"error"');
}

const totalWeight = actions.reduce((sum, { weight }) => sum + weight, 0);

export function chooseAction(dice: Dice): Action {
  let at = dice.next() * totalWeight;
  return actions.find(({ weight }) => (at -= weight) < 0) ?? actions[0]!;
}
