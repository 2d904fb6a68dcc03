export class SseOverflow extends Error {
  override readonly name = "SseOverflow";
}

type SseEvent = { data: string; id: string | null };

/** Bytes in, events out. Lines end in LF, CR or CRLF. Chunks may end anywhere, even inside a character. */
export function createSseReader(maxEventChars: number) {
  const decoder = new TextDecoder();
  let line = "";
  let data: string | null = null;
  let id: string | null = null;
  let endedInCarriageReturn = false;

  function takeLine(text: string, events: SseEvent[]): void {
    if (text === "") {
      if (data !== null) events.push({ data, id });
      data = null;
      id = null;
    } else if (text.startsWith("data:")) {
      const value = text.slice(text.charCodeAt(5) === 0x20 ? 6 : 5);
      data = data === null ? value : `${data}\n${value}`;
      if (data.length > maxEventChars) throw new SseOverflow("event too long");
    } else if (text.startsWith("id:")) id = text.slice(3).trim();
  }

  function push(chunk: Uint8Array): SseEvent[] {
    let text = decoder.decode(chunk, { stream: true });
    if (text === "") return [];
    if (endedInCarriageReturn && text.startsWith("\n")) text = text.slice(1);
    endedInCarriageReturn = text.endsWith("\r");
    const lines = text.includes("\r") ? text.split(/\r\n|[\n\r]/) : text.split("\n");
    const events: SseEvent[] = [];
    for (const [index, part] of lines.entries()) {
      if (index > 0) {
        takeLine(line, events);
        line = "";
      }
      line = line === "" ? part : line + part;
      if (line.length > maxEventChars) throw new SseOverflow("line too long");
    }
    return events;
  }

  /** The last event, if the connection closed without a blank line. A cut line is dropped. */
  function flush(): SseEvent[] {
    if (line.trimEnd() === "data: [DONE]") data = "[DONE]";
    return data === null ? [] : [{ data, id }];
  }

  return { push, flush };
}
