import apg from "apg-js/src/apg-lib/node-exports.js";

/**
 * `siwe` makes a parser for each message, and V8 a hidden class for each of its inner constructors. These keep all that was
 * parsed, 70 KB, until the next full garbage collection, which costs more than the parsing. So one parser reads all messages: a
 * parse begins by clearing what is left of the last one. Whoever makes a parser parses with it before anybody else makes one.
 */
export function shareSiweParser(): void {
  const OwnParser = apg.parser;
  const shared = new OwnParser();
  const { parse } = shared;
  let isParsing = false;
  shared.parse = (...given) => {
    isParsing = true;
    try {
      return parse(...given);
    } finally {
      isParsing = false;
    }
  };
  /** `new` gives what is returned. A parse within another one has a parser of its own. */
  function SharedParser() {
    return isParsing ? new OwnParser() : shared;
  }
  apg.parser = SharedParser as unknown as typeof OwnParser;
}
