import { expect, test } from "vitest";
import { inputsOf, listScripts, listScriptsOf, weigh } from "~e2e/support/build-scripts";

const page = listScriptsOf(["entry.client", "root", "routes/_index", "routes/gate"]);
/** Scripts that load between "Connect" and the room, including the demo's wallet. */
const afterConnect = listScriptsOf(["wallet-parts", "demo-signer", "gate-proofs"]);
const library = /node_modules\/(wagmi|@wagmi|viem|ox|@noble|@coinbase|@walletconnect|zustand|mipd)\//;

test("connecting adds at most 80 KB of script to the page at the gate", () => {
  const added = [...afterConnect].filter((file) => file.endsWith(".js") && !page.has(file));
  const bytes = weigh(added);
  expect(bytes).toBeGreaterThan(10_000);
  expect(bytes).toBeLessThanOrEqual(80_000);
});

test("no page loads wallet code before a visitor wants to connect", () => {
  expect(inputsOf(afterConnect).some((input) => library.test(input))).toBe(true);
  for (const route of ["_index", "gate", "chat", "docs"]) {
    const early = inputsOf(listScriptsOf(["entry.client", "root", `routes/${route}`])).filter((input) =>
      library.test(input),
    );
    expect(early, route).toEqual([]);
  }
});

test("WalletConnect and Base are in scripts of their own, loaded only by visitors who choose them", () => {
  const optional = /node_modules\/(@coinbase|@walletconnect|uqr)\//;
  expect(inputsOf(afterConnect).filter((input) => optional.test(input))).toEqual([]);
  for (const [source, name] of [
    ["wallet-connect-provider.client", /@walletconnect/],
    ["base-provider.client", /@coinbase/],
    ["pairing-code", /uqr/],
  ] as const) {
    expect(
      inputsOf(listScripts(source)).some((input) => name.test(input)),
      source,
    ).toBe(true);
  }
});
