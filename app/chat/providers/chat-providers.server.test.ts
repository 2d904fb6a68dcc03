import { expect, test } from "vitest";
import { problemsInProduction } from "~e2e/support/config";
import { speechProviders } from "~/speech/providers/speech-providers.server";
import { chatProviders } from "./chat-providers.server";

/** The choice that a provider which costs money asks for. */
const forAll = { NEXT_PUBLIC_AI_CHAT_REQUIRES_JWT: "false" };

test.each([
  { setting: "AI_PROVIDER", rows: chatProviders, others: [] },
  { setting: "TTS_PROVIDER", rows: speechProviders, others: ["disabled"] },
])(
  "$setting accepts every provider of its table, and requires the settings of the chosen one",
  ({ setting, rows, others }) => {
    const [problem = ""] = problemsInProduction({ [setting]: "?" });
    const choices = problem.replace(`${setting} must be one of `, "").replace(/\.$/, "").split(", ");
    expect(choices.sort()).toEqual([...rows.map(({ name }) => name), ...others].sort());
    for (const { name, needs } of rows) {
      const problems = problemsInProduction({ ...forAll, [setting]: name });
      expect(problems).toEqual(needs.map((need) => `${need} must be set when ${setting} is ${name}.`));
    }
  },
);
