import { setTimeout as delay } from "node:timers/promises";
import { startOpenAiServer } from "~/testing/openai-server";
import { answerParent } from "../worker-process";

answerParent(startModel);

/** Says as many words as it is asked for, at the pace it is asked for. */
async function startModel(): Promise<{ baseUrl: string }> {
  const { baseUrl } = await startOpenAiServer(async (call) => {
    const [, words = 0, everyMs = 0] = (call.body.messages.at(-1)?.content ?? "").split(":").map(Number);
    for (let said = 0; said < words && !call.isClosed(); said += 1) {
      await call.text("word ");
      await delay(everyMs);
    }
    await call.finish();
  });
  return { baseUrl };
}
