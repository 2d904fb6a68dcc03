/** One event or line is larger than `maxEventChars`. */
export class SseOverflow extends Error {
  override readonly name = "SseOverflow";
}

/** Bytes in, payloads of `data` out. Lines end in LF, CR or CRLF and may be cut anywhere, inside a character too. */
export function createSseReader(maxEventChars: number) {
  const decoder = new TextDecoder();
  let line = "";
  let data: string | null = null;
  let endedInCarriageReturn = false;

  function takeLine(text: string, payloads: string[]): void {
    if (text === "") {
      if (data !== null) payloads.push(data);
      data = null;
    } else if (text.startsWith("data:")) {
      const value = text.slice(text.charCodeAt(5) === 0x20 ? 6 : 5);
      data = data === null ? value : `${data}\n${value}`;
      if (data.length > maxEventChars) throw new SseOverflow("event too long");
    }
  }

  function push(chunk: Uint8Array): string[] {
    let text = decoder.decode(chunk, { stream: true });
    if (text === "") return [];
    if (endedInCarriageReturn && text.startsWith("\n")) text = text.slice(1);
    endedInCarriageReturn = text.endsWith("\r");
    const lines = text.includes("\r") ? text.split(/\r\n|[\n\r]/) : text.split("\n");
    const payloads: string[] = [];
    for (const [index, part] of lines.entries()) {
      if (index > 0) {
        takeLine(line, payloads);
        line = "";
      }
      line = line === "" ? part : line + part;
      if (line.length > maxEventChars) throw new SseOverflow("line too long");
    }
    return payloads;
  }

  /** The last event of a connection that closed without a blank line. A line that was cut is dropped. */
  function flush(): string[] {
    if (line.trimEnd() === "data: [DONE]") data = "[DONE]";
    return data === null ? [] : [data];
  }

  return { push, flush };
}
