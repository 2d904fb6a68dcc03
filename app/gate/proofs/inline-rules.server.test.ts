import apg from "apg-js/src/apg-lib/node-exports.js";
import type { Grammar } from "apg-js/src/apg-lib/node-exports.js";
import { SiweMessage } from "siwe";
import { expect, test } from "vitest";
import { inlineRules } from "./inline-rules.server";

const message = `https://[2001:db8::7]:3000 wants you to sign in with your Ethereum account:
0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266

Unlock key #7

URI: http://127.0.0.1:3000/gate?a=%20#b
Version: 1
Chain ID: 31337
Nonce: aaaaaaaa1
Issued At: 2026-01-15T12:00:00.000Z
Expiration Time: 2026-01-15T12:10:00+02:00
Request ID: request-7
Resources:
- https://example.com/one`;

/** The grammar that the package reads messages by, and a parser with the package's callbacks. */
function takeParser() {
  const Parser = apg.parser;
  let taken: { parse: (grammar: Grammar, text: string) => unknown; grammar: Grammar; callbacks: string[] };
  class Taking extends Parser {
    constructor() {
      super();
      const { parse } = this;
      this.parse = (grammar, ...rest) => {
        const read = (by: Grammar, text: string) => {
          const data = { errors: [], warnings: [], lineno: 1, uriElements: {} };
          try {
            const { success } = parse(by, 0, text, data) as { success: boolean };
            return { success, data };
          } catch (error) {
            return String(error);
          }
        };
        taken = { parse: read, grammar, callbacks: Object.keys(this.callbacks) };
        return parse(grammar, ...rest);
      };
    }
  }
  apg.parser = Taking;
  try {
    new SiweMessage(message);
    return taken!;
  } finally {
    apg.parser = Parser;
  }
}

const { parse, grammar, callbacks } = takeParser();
const withCallback = new Set(callbacks.map((name) => name.toLowerCase()));

test("a message is read alike, whole and with any one letter left out, doubled or changed", () => {
  const inlined = inlineRules(grammar, withCallback);
  expect(parse(inlined, message)).toMatchObject({ success: true });
  for (let at = 0; at < message.length; at += 1) {
    const [before, letter, after] = [message.slice(0, at), message[at]!, message.slice(at + 1)];
    for (const instead of ["", letter + letter, letter === "~" ? "-" : "~", "\n"]) {
      const changed = before + instead + after;
      expect(parse(inlined, changed), changed).toEqual(parse(grammar, changed));
    }
  }
});

test("of the rules without a callback none is entered", () => {
  const { rules } = inlineRules(grammar, withCallback);
  const entered = rules[0]!.opcodes.filter(({ type }) => type === apg.ids.RNM);
  const names = entered.map(({ index }) => rules[index!]!.lower);
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !withCallback.has(name))).toEqual([]);
});

const rule = (opcodes: Grammar["rules"][number]["opcodes"], isBkr = false) => ({
  lower: "rule",
  isBkr,
  opcodes,
});

test("a rule within itself stays one, and a grammar with back references or unknown operators stays as it is", () => {
  const { RNM, CAT, TBS } = apg.ids;
  const nested = [{ type: CAT, children: [1, 2] }, { type: TBS }, { type: RNM, index: 0 }];
  expect(inlineRules({ rules: [rule(nested)] }, new Set())).toEqual({ rules: [rule(nested)] });
  for (const rules of [[rule(nested, true)], [rule([{ type: 14 }])]]) {
    const left = { rules };
    expect(inlineRules(left, new Set())).toBe(left);
  }
});
