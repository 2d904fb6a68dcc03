import { expect, test } from "vitest";
import { findReferenceOperation } from "~e2e/support/api-reference";
import { startingValues, writeCurl } from "./request";
import type { RequestValues } from "./request";

const origin = "https://gate.example";

function curlOf(id: string, values: Partial<RequestValues> = {}): string {
  const operation = findReferenceOperation(id);
  return writeCurl(operation, { ...startingValues(operation), ...values }, origin);
}

test("a call without parameters is one line", () => {
  expect(curlOf("getNonce")).toBe("curl -sS 'https://gate.example/api/nonce'");
  expect(curlOf("endSession")).toBe("curl -sS -X DELETE 'https://gate.example/session'");
});

test("a secret is written as a variable, in whichever way it is sent", () => {
  expect(curlOf("getQuota", { as: "session" })).toContain('-H "Authorization: Bearer $ACCESS_TOKEN"');
  expect(curlOf("chat", { as: "secret" })).toContain('-H "Authorization: Bearer $ACCESS_TOKEN"');
  expect(curlOf("chat", { as: "nobody" })).not.toContain("Authorization");
});

test("values are put in their places, whatever they contain", () => {
  expect(curlOf("getTokenStatus", { parameters: { "path:tokenId": "4 2?'" } })).toContain(
    "'https://gate.example/api/token-status/4%202%3F'\\'''",
  );
  expect(curlOf("getOpenApi", { parameters: { "header:If-None-Match": '"a"' } })).toContain(
    `-H 'If-None-Match: "a"'`,
  );
  const withQuote = curlOf("speak", { body: `{"text": "It's $HOME \`open\`"}` });
  expect(withQuote).toContain(`-d '{"text": "It'\\''s $HOME \`open\`"}'`);
});

test("an emptied body is omitted, and the method named instead", () => {
  expect(curlOf("openGate", { body: " ", as: "secret" })).toBe(
    `curl -sS -X POST 'https://gate.example/api/gate-access' \\\n  -H "Authorization: Bearer $ACCESS_TOKEN"`,
  );
});
