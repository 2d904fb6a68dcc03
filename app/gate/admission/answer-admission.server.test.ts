import { expect, test } from "vitest";
import { emptyContent } from "~/content/content.schema";
import { answerAdmission } from "./answer-admission.server";
import type { Admission } from "./admit.server";

test("an admission is answered with its own token and content, also where a content was answered before", async () => {
  const [first, second] = ["one", "two"].map((welcomeText) => ({ ...emptyContent, welcomeText }));
  const granted = { success: true, access: "granted" } as const;
  const admissions: Admission[] = [
    { ...granted, content: first! },
    { ...granted, accessToken: "a.b.c", content: first! },
    { ...granted, content: second! },
  ];
  for (const admission of admissions) {
    const response = answerAdmission(admission);
    expect(await response.json()).toEqual(admission);
    expect(response.headers.get("Content-Type")).toBe("application/json; charset=utf-8");
    expect(response.headers.get("Cache-Control")).toBe("no-store");
  }
});
