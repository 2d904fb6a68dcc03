import type { AskChain } from "../entry/key-calls";
import { WalletTrouble } from "./wallet-trouble";

const answerWithinMs = 10_000;
let lastId = 0;

/** The chain over HTTP: one request each, with an end. */
export function createHttpChain(rpcUrl: string, withinMs: number = answerWithinMs): AskChain {
  return async function ask({ method, params }) {
    const body = JSON.stringify({ jsonrpc: "2.0", id: (lastId += 1), method, params });
    const answer = await post(rpcUrl, body, withinMs);
    if (answer.error) throw Object.assign(new Error(answer.error.message), { code: answer.error.code });
    return answer.result;
  };
}

type Answer = { result?: unknown; error?: { code: number; message: string } };

async function post(rpcUrl: string, body: string, withinMs: number): Promise<Answer> {
  try {
    const response = await fetch(rpcUrl, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body,
      signal: AbortSignal.timeout(withinMs),
    });
    return (await response.json()) as Answer;
  } catch (cause) {
    throw new WalletTrouble("chain-silent", { cause });
  }
}
