const barChars = 24;

type Stream = { isTTY?: boolean; write: (text: string) => unknown };
export type Progress = { done: number; total: number; source: string };

/** A line that is rewritten as the work goes on; a line for each tenth where the output is no terminal. */
export function createProgressBar(stream: Stream, unit = "pages") {
  let lastTenth = -1;
  let isOpen = false;

  function show({ done, total, source }: Progress): void {
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
