/** What `siwe` parses with. It has no types of its own. */
declare module "apg-js/src/apg-lib/node-exports.js" {
  const library: { parser: new () => { parse: (...given: unknown[]) => unknown } };
  export = library;
}
