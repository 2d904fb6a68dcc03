import { expect, test } from "vitest";
import { emptyContent } from "~/content/content.schema";
import { answerAdmission } from "./answer-admission.server";
import type { Admission } from "./admit.server";

test("an admission is answered with its own token and content, also where a content was answered before", () => {
  const [first, second] = ["one", "two"].map((welcomeText) => ({ ...emptyContent, welcomeText }));
  const granted = { success: true, access: "granted" } as const;
  const admissions: Admission[] = [
    { ...granted, content: first! },
    { ...granted, accessToken: "a.b.c", content: first! },
    { ...granted, content: second! },
  ];
  for (const admission of admissions) {
    const { text, headers } = answerAdmission(admission);
    expect(JSON.parse(String(text))).toEqual(admission);
    expect(headers).toMatchObject({
      "Content-Type": "application/json; charset=utf-8",
      "Cache-Control": "no-store",
    });
  }
});
