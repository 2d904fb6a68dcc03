import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { expect, test } from "vitest";
import { signForm } from "~/commands/signed-requests";
import { held, makeKind } from "~e2e/support/key-kinds";
import type { ProofDependencies } from "../proofs/proof.server";
import { submit } from "./submit.server";

type SubmitDependencies = Parameters<typeof submit>[1];

const nowMs = Date.UTC(2026, 0, 15, 12);
const account = privateKeyToAccount(generatePrivateKey());
const origin = "http://localhost:3000";
const contract = { chainId: 31337, contract: `0x${"aa".repeat(20)}` } as const;
const list = [makeKind({ name: "founder", ...contract }), makeKind({ name: "lent", ...contract })];

/** The key is never used up, so only the form itself prevents a second submission. */
function openForm() {
  const spent: string[] = [];
  const unused = () => expect.fail("A form must not ask for this.");
  const dependencies: SubmitDependencies = {
    kinds: { list, areNamed: true },
    domains: ["localhost:3000"],
    clock: () => nowMs,
    requireSignedMessage: true,
    judge: { judge: async () => held, judgeSigned: unused },
    walletFactories: "any",
    requireSettled: async () => {},
    submissions: {
      submitOnce: async () => ({ outcome: "accepted", submissionId: "s" }),
    } as unknown as SubmitDependencies["submissions"],
    spentSignatures: {
      spendSignature: async ({ digest }: { digest: string }) =>
        !spent.includes(digest) && spent.push(digest) > 0,
    } as ProofDependencies["spentSignatures"],
    wakeOutbox: () => {},
  };
  async function sign(name: string) {
    const holder = { account, tokenId: "7", key: { name, isFirst: name === "founder" } };
    const body = await signForm({
      site: { origin, chainId: 31337 },
      holder,
      message: "Hello.",
      timestamp: nowMs,
    });
    const keyKind = list.find((kind) => kind.name === name)!;
    const submission = { ...body, keyKind, vault: null };
    return () => submit({ submission, host: "localhost:3000", requestId: "r" }, dependencies);
  }
  return { sign, spent };
}

test("a form's signature is spent where the kind is not the first, whatever else the key allows", async () => {
  const { sign, spent } = openForm();
  const send = await sign("lent");
  expect(await send()).toMatchObject({ success: true });
  await expect(send()).rejects.toMatchObject({
    slug: "authentication-failed",
    detail: expect.stringContaining("has been used already") as string,
  });
  expect(spent).toHaveLength(1);
});

test("a form of the first kind is held back by what it uses up alone, as before there were others", async () => {
  const { sign, spent } = openForm();
  const send = await sign("founder");
  await send();
  expect(await send()).toMatchObject({ success: true });
  expect(spent).toEqual([]);
});
