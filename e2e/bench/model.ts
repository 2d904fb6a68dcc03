import { setTimeout as delay } from "node:timers/promises";
import { startOpenAiServer } from "~e2e/support/providers/openai-server";
import type { CompletionCall } from "~e2e/support/providers/openai-server";
import type { Closers } from "./close-on-signals";
import { tellWords } from "./model-words";

export type Model = Awaited<ReturnType<typeof startModel>>;

/** `hold`: from now on, matching requests wait for `speak`, then go on until `end`. */
export async function startModel(closers: Closers) {
  let letSpeak: () => void = () => undefined;
  let maySpeak = Promise.resolve();
  let hasEnded = false;

  async function speakWhenTold(call: CompletionCall, everyMs: number): Promise<number> {
    await call.text("word ");
    await maySpeak;
    // Streams start at different times, because in step they would come in bursts.
    await delay(Math.random() * everyMs);
    let said = 1;
    for (; !hasEnded && !call.isClosed(); said += 1) {
      await call.text("word ");
      await delay(everyMs);
    }
    return said;
  }
  const server = await startOpenAiServer(async (call) => {
    const [manner, number = "0"] = (call.body.messages.at(-1)?.content ?? "").split(" ");
    let said = Number(number);
    if (manner === "held") said = await speakWhenTold(call, Number(number));
    else for (let index = 0; index < said; index += 1) await call.text("word ");
    await call.text(tellWords(said));
    await call.finish();
  });
  closers.push(server.close);
  return {
    baseUrl: server.baseUrl,
    hold() {
      hasEnded = false;
      maySpeak = new Promise((resolve) => (letSpeak = resolve));
    },
    speak: () => letSpeak(),
    end: () => (hasEnded = true),
  };
}
