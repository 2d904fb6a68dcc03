import { expect, test } from "vitest";
import { oneKind } from "~e2e/support/key-kinds";
import { legacyProof, readLegacyClaim } from "./legacy.server";

const nowMs = Date.UTC(2026, 0, 15, 12);
const kinds = oneKind({ chainId: 31337, contract: "0x00000000000000000000000000000000000000c0" });
const address = `0x${"Aa".repeat(20)}`;

test("the claims of a legacy proof hold the address as sent, and the word legacy as the nonce", () => {
  const claim = readLegacyClaim(
    { address, signature: "0x", tokenId: "7", timestamp: nowMs, keyKind: kinds.list[0]!, vault: null },
    { host: "localhost:3000", path: "/api/gate-access" },
    { kinds, domains: ["localhost:3000"], clock: () => nowMs },
  );
  expect(claim.address).toBe(address.toLowerCase());
  expect(legacyProof.claims(claim)).toEqual({
    address,
    domain: "localhost:3000",
    chainId: 31337,
    nonce: "legacy",
    issuedAt: "2026-01-15T12:00:00.000Z",
  });
});
