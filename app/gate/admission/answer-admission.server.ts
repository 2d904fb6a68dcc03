import type { GatedContent } from "~/content/content.schema";
import { answerJsonText } from "~/platform/http/answer.server";
import type { Admission } from "./admit.server";

/** Many requests get the same content object; writing it as JSON was a sixth of what a call with a token costs. */
const texts = new WeakMap<GatedContent, string>();

export function answerAdmission({ content, ...rest }: Admission): Response {
  let text = texts.get(content);
  if (text === undefined) texts.set(content, (text = JSON.stringify(content)));
  return answerJsonText({ text: `${JSON.stringify(rest).slice(0, -1)},"content":${text}}` });
}
