import { noticeForRefused, readRefused } from "~/platform/http/notice";
import type { NoticeText } from "~/platform/http/notice";
import type { TryAnswer } from "./try-request";

/** What a refused try tells a person; null where nothing was refused. */
export function readRefusal({ status, phase, headers, text }: TryAnswer): NoticeText | null {
  if (status < 400 || phase === "receiving") return null;
  return noticeForRefused(readRefused({ status, headers: new Headers(headers), body: parse(text) }), {});
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
