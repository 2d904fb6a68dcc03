import apg from "apg-js/src/apg-lib/node-exports.js";
import type { Grammar, Operation, Rule } from "apg-js/src/apg-lib/node-exports.js";

const { ALT, CAT, REP, RNM, TRG, TBS, TLS, AND, NOT } = apg.ids;
const known = new Set([ALT, CAT, REP, RNM, TRG, TBS, TLS, AND, NOT]);
/** Their one child follows them. Other operations list the places of their children. */
const repeatingOrLooking = new Set([REP, AND, NOT]);

/**
 * The same language, with each rule that has no callback written out where it is used. The parser makes frames for back
 * references whenever it enters a rule, even one of a single letter, and that took more than a third of its time. A grammar
 * with back references, or with operations that are not known here, is left as it is.
 */
export function inlineRules(grammar: Grammar, withCallback: ReadonlySet<string>): Grammar {
  const { rules } = grammar;
  const isPlain = rules.every(({ isBkr, opcodes }) => !isBkr && opcodes.every(({ type }) => known.has(type)));
  if (!isPlain) return grammar;

  /** Writes the operation at this place of the last rule, and those below it; returns where it stands. */
  function write(place: number, within: readonly Rule[], to: Operation[]): number {
    const operation = within.at(-1)!.opcodes[place]!;
    const rule = operation.type === RNM ? rules[operation.index!]! : null;
    if (rule && !withCallback.has(rule.lower) && !within.includes(rule))
      return write(0, [...within, rule], to);
    const copy = { ...operation };
    const written = to.push(copy) - 1;
    if (repeatingOrLooking.has(operation.type)) write(place + 1, within, to);
    if (operation.children) copy.children = operation.children.map((child) => write(child, within, to));
    return written;
  }

  const writeOut = (rule: Rule): Rule => {
    const opcodes: Operation[] = [];
    write(0, [rule], opcodes);
    return { ...rule, opcodes };
  };
  return { ...grammar, rules: rules.map(writeOut) };
}
