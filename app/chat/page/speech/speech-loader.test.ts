import { expect, test, vi } from "vitest";
import { SpeechLoader } from "./speech-loader";

function prepare() {
  const answers: ((response: Response) => void)[] = [];
  vi.stubGlobal("fetch", () => new Promise<Response>((resolve) => answers.push(resolve)));
  const loader = new SpeechLoader("a");
  loader.add(["First.", "Second.", "Third."]);
  return { loader, answers };
}

test("the next piece is asked for when the one before it is being answered, and not before", async () => {
  const { loader, answers } = prepare();
  const first = loader.get(0);
  const later = loader.prepareAfter(0);
  await Promise.resolve();
  expect(answers).toHaveLength(1);
  answers[0]!(new Response("sound"));
  await Promise.all([first, later]);
  expect(answers).toHaveLength(2);
});

test("the piece after a refused one, or after one that is no longer needed, is not asked for", async () => {
  const { loader, answers } = prepare();
  const first = loader.get(0);
  const afterFirst = loader.prepareAfter(0);
  answers[0]!(Response.json({ error: "Quota exceeded" }, { status: 429 }));
  await expect(first).rejects.toThrow();
  await afterFirst;
  void loader.get(1)!.catch(() => {});
  const afterSecond = loader.prepareAfter(1);
  loader.abortExcept(null);
  answers[1]!(new Response("sound"));
  await afterSecond;
  expect(answers).toHaveLength(2);
});
