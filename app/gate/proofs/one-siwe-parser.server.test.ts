import apg from "apg-js/src/apg-lib/node-exports.js";
import type { Grammar } from "apg-js/src/apg-lib/node-exports.js";
import { SiweMessage } from "siwe";
import { expect, test } from "vitest";
import { shareSiweParser } from "./one-siwe-parser.server";

const text = (nonce: string) => `localhost:3000 wants you to sign in with your Ethereum account:
0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266

Unlock key #7

URI: http://localhost:3000/gate
Version: 1
Chain ID: 31337
Nonce: ${nonce}
Issued At: 2026-01-15T12:00:00.000Z`;

test("one parser reads all messages, also after one that it could not read, and never two at once", () => {
  let made = 0;
  let within: unknown = null;
  const grammars = new Set<Grammar>();
  const Parser = apg.parser;
  class Counted extends Parser {
    constructor() {
      super();
      made += 1;
      const { parse } = this;
      this.parse = (...given) => {
        grammars.add(given[0]);
        // Somebody who parses while the first message is parsed.
        within ??= new apg.parser();
        return parse(...given);
      };
    }
  }
  apg.parser = Counted;
  shareSiweParser();
  try {
    const nonces = ["aaaaaaaa1", "bbbbbbbb2"].map((nonce) => new SiweMessage(text(nonce)).nonce);
    expect(() => new SiweMessage(`${text("cccccccc3")}\nand more`)).toThrow();
    nonces.push(new SiweMessage(text("dddddddd4")).nonce);
    expect(nonces).toEqual(["aaaaaaaa1", "bbbbbbbb2", "dddddddd4"]);
    expect(within).not.toBe(new apg.parser());
    expect(made).toBe(2);
    // Written out, and once: the package's own has 461 operations.
    const [grammar, ...others] = [...grammars];
    expect(grammar?.rules.flatMap(({ opcodes }) => opcodes).length).toBeGreaterThan(1000);
    expect(others).toEqual([]);
  } finally {
    apg.parser = Parser;
  }
});
