/** What `siwe` parses with. It has no types of its own. */
declare module "apg-js/src/apg-lib/node-exports.js" {
  namespace library {
    type Operation = { type: number; index?: number; children?: number[] };
    type Rule = { lower: string; isBkr: boolean; opcodes: Operation[] };
    type Grammar = { rules: Rule[] };
    type Parser = {
      callbacks: Record<string, unknown>;
      parse: (grammar: Grammar, ...rest: unknown[]) => unknown;
    };
    type OperationName = "ALT" | "CAT" | "REP" | "RNM" | "TRG" | "TBS" | "TLS" | "AND" | "NOT";
  }
  const library: { parser: new () => library.Parser; ids: Record<library.OperationName, number> };
  export = library;
}
