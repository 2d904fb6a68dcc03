import type { Page } from "@playwright/test";

export type SeenFrames = {
  /** When the page began each of its frames. */
  startsMs: number[];
  /** How long each task took that held the page up for more than 50 ms. */
  longTasksMs: number[];
  /** How many words of the newest answer were drawn meanwhile. */
  drawnWords: number;
};

/** Counts the frames that a page comes to while an answer grows in it. */
export function watchFrames({ page, seconds }: { page: Page; seconds: number }): Promise<SeenFrames> {
  return page.evaluate(async (forMs) => {
    const countWords = () =>
      [...document.querySelectorAll(".message-reply")].at(-1)?.textContent.match(/(?:word|value)\d/g)
        ?.length ?? 0;
    const longTasksMs: number[] = [];
    const observer = new PerformanceObserver((list) => {
      longTasksMs.push(...list.getEntries().map(({ duration }) => duration));
    });
    const wordsBefore = countWords();
    observer.observe({ type: "longtask" });
    const startsMs = await new Promise<number[]>((resolve) => {
      const starts: number[] = [];
      function onFrame(atMs: number) {
        starts.push(atMs);
        if (atMs - starts[0]! >= forMs) resolve(starts);
        else requestAnimationFrame(onFrame);
      }
      requestAnimationFrame(onFrame);
    });
    observer.disconnect();
    return { startsMs, longTasksMs, drawnWords: countWords() - wordsBefore };
  }, seconds * 1000);
}
