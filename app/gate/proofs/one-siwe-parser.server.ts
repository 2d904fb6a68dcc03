import apg from "apg-js/src/apg-lib/node-exports.js";
import type { Grammar } from "apg-js/src/apg-lib/node-exports.js";
import { inlineRules } from "./inline-rules.server";

/**
 * `siwe` makes a parser for each message, and V8 a hidden class for each of its inner constructors. These keep all that was
 * parsed, 70 KB, until the next full garbage collection, which costs more than the parsing. So one parser reads all messages: a
 * parse begins by clearing what is left of the last one. Whoever makes a parser parses with it before anybody else makes one.
 */
export function shareSiweParser(): void {
  const OwnParser = apg.parser;
  const shared = new OwnParser();
  const { parse } = shared;
  const inline = createInliner();
  let isParsing = false;
  shared.parse = (grammar, ...rest) => {
    isParsing = true;
    try {
      return parse(inline(grammar, Object.keys(shared.callbacks)), ...rest);
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

/** Each grammar is written out once, unless a parser has a callback that those before it had not. */
function createInliner() {
  const kept = new WeakMap<Grammar, { callbacks: Set<string>; inlined: Grammar }>();
  return (grammar: Grammar, names: readonly string[]): Grammar => {
    const found = kept.get(grammar);
    if (found && names.every((name) => found.callbacks.has(name))) return found.inlined;
    const callbacks = new Set([...(found?.callbacks ?? []), ...names]);
    const inlined = inlineRules(grammar, new Set([...callbacks].map((name) => name.toLowerCase())));
    kept.set(grammar, { callbacks, inlined });
    return inlined;
  };
}
