import type { Page } from "@playwright/test";

export type SeenFrames = {
  /** When the page began each of its frames. */
  startsMs: number[];
  /** How long each task took that held the page up for more than 50 ms. */
  longTasksMs: number[];
  /** How many words of the newest answer were drawn meanwhile. */
  drawnWords: number;
};

/**
 * Counts the frames that a page comes to while an answer grows in it. No function within has a name: the loader that
 * commands run under would mark it with one of its own, which the page does not know.
 */
export function recordFrames(page: Page, seconds: number): Promise<SeenFrames> {
  return page.evaluate(async (forMs) => {
    const startsMs: number[] = [];
    const longTasksMs: number[] = [];
    const wordCounts: number[] = [];
    const observer = new PerformanceObserver((list) => {
      longTasksMs.push(...list.getEntries().map(({ duration }) => duration));
    });
    observer.observe({ type: "longtask" });
    for (let isLast = false; !isLast;) {
      const startMs = await new Promise<number>((resolve) => requestAnimationFrame(resolve));
      startsMs.push(startMs);
      isLast = startMs - startsMs[0]! >= forMs;
      if (!isLast && startsMs.length > 1) continue;
      const reply = [...document.querySelectorAll(".message-reply")].at(-1);
      wordCounts.push(reply?.textContent.match(/(?:word|value)\d/g)?.length ?? 0);
    }
    observer.disconnect();
    return { startsMs, longTasksMs, drawnWords: wordCounts.at(-1)! - wordCounts[0]! };
  }, seconds * 1000);
}
