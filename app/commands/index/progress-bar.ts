import type { IndexProgress } from "~/search/index-knowledge.server";

const barChars = 24;

/**
 * A line that is rewritten as the work goes on. Where the output is no terminal, a line of its own for each tenth
 * instead, which a log can hold.
 */
export function createProgressBar(
  stream: { isTTY?: boolean; write: (text: string) => unknown },
  unit: string = "pages",
) {
  let lastTenth = -1;
  let isOpen = false;

  function show({ done, total, source }: IndexProgress): void {
    const share = total === 0 ? 1 : done / total;
    if (stream.isTTY) {
      const filled = Math.round(share * barChars);
      const bar = `${"█".repeat(filled)}${"░".repeat(barChars - filled)}`;
      stream.write(`\r\u001B[2K${bar} ${done}/${total} ${source.slice(-40)}`);
      isOpen = true;
      return;
    }
    const tenth = Math.floor(share * 10);
    if (tenth === lastTenth) return;
    lastTenth = tenth;
    stream.write(`${done} of ${total} ${unit}\n`);
  }

  function end(): void {
    if (isOpen) stream.write("\n");
    isOpen = false;
  }

  return { show, end };
}
