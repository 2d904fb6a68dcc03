import { setTimeout as delay } from "node:timers/promises";
import { encodeFunctionData, isHex, padHex, parseAbi } from "viem";
import type { Address, Hex } from "viem";
import type { ChainClient } from "~/platform/chain/chain-client.server";
import { isRevert } from "~/platform/chain/rpc-reply.server";
import { chainUnavailable } from "~/platform/refusals/refusal";
import { readHeader } from "./block-header.gateway.server";
import { caller, nameBlock, requireRpcError } from "./chain-probe.gateway.server";
import type { Question } from "./chain-probe.gateway.server";
import type { Answer, Answers, Read, SignatureVerdict, WalletSignature } from "./reads/chain-answers";

const askAgainAfterMs = 200;
/** Concurrent calls of one read; only many ERC-1155 holdings need more. */
const maxCallsAtOnce = 20;
const signatureAbi = parseAbi([
  "function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)",
]);
const validSignatureWord = "0x1626ba7e";
/** How nodes report that a call ran out of gas. */
const exhaustionWords = /out ?of ?gas|gas required exceeds|gas limit/i;

type Called =
  /** Without output also where there is no code. */
  { kind: "returned"; output: Hex } | { kind: "reverted"; error: Error } | { kind: "refused"; error: Error };

/**
 * For chains that run no code but that of a contract. These answers do not tell their block, so it is asked for first.
 * `refused`: what the endpoint said to the probe.
 */
export async function askPlainly(given: Question, refused: Error | null): Promise<Answers> {
  const { client, reads, signed } = given;
  const header = await readHeader(client, given.block);
  const question = { ...given, block: header.blockNumber };
  const [outcomes, verdict] = await Promise.all([
    callEach(question),
    // A failed wallet call must not hide that the contract call failed too.
    signed ? judgeSignature(question, signed).catch((error: unknown) => ({ error })) : null,
  ]);
  requireAnswers(reads, outcomes);
  const calls = outcomes.filter((_outcome, index) => !isForBalance(reads[index]!));
  const isOnlyOfBalances = reads.length > 0 && calls.length === 0 && !signed;
  if (refused && !isOnlyOfBalances && calls.every((outcome) => isSameRevert(outcome, refused))) {
    await requireCalls(client, refused);
  }
  if (typeof verdict === "object" && verdict) throw verdict.error;
  const withCode = await findTargetsWithCode(question, outcomes);
  const answers = outcomes.map((outcome, index) => toAnswer(outcome, withCode.has(reads[index]!.target)));
  return { ...header, answers, verdict };
}

/** An endpoint that refuses everything cannot be asked, optional or not. */
function requireAnswers(reads: readonly Read[], outcomes: readonly Called[]): void {
  const refusals = outcomes.flatMap((outcome) => (outcome.kind === "refused" ? [outcome.error] : []));
  const isEssential = outcomes.some(({ kind }, index) => kind === "refused" && !reads[index]!.isOptional);
  if (isEssential || (refusals.length > 0 && refusals.length === outcomes.length))
    throw chainUnavailable(refusals[0]);
}

function isForBalance({ data }: Read): boolean {
  return data === "0x";
}

async function callEach({ client, reads, block }: Question): Promise<Called[]> {
  const outcomes: Called[] = [];
  for (let start = 0; start < reads.length; start += maxCallsAtOnce) {
    const some = reads.slice(start, start + maxCallsAtOnce);
    outcomes.push(
      ...(await Promise.all(
        some.map((read) => callAgain(isForBalance(read) ? readBalance : call, { client, read, block })),
      )),
    );
  }
  return outcomes;
}

type PlainCall = { client: ChainClient; read: Pick<Read, "target" | "data" | "isOptional">; block?: bigint };

/** A node behind the endpoint's address may lack the block that another one there has just named. */
async function callAgain(send: typeof call, { client, read, block }: PlainCall): Promise<Called> {
  const outcome = await send(client, read, block);
  if (outcome.kind !== "refused" || read.isOptional) return outcome;
  await delay(askAgainAfterMs);
  return await send(client, read, block);
}

async function call(
  client: ChainClient,
  { target, data }: Pick<Read, "target" | "data">,
  block?: bigint,
): Promise<Called> {
  try {
    const params = [{ from: caller, to: target, data }, nameBlock(block)] as const;
    return { kind: "returned", output: await client.request({ method: "eth_call", params: [...params] }) };
  } catch (error) {
    const answered = requireRpcError(error);
    return { kind: isRevert(answered) ? "reverted" : "refused", error: answered };
  }
}

async function readBalance(
  client: ChainClient,
  { target }: Pick<Read, "target">,
  block?: bigint,
): Promise<Called> {
  try {
    const params = [target, nameBlock(block)] as const;
    const output: unknown = await client.request({ method: "eth_getBalance", params: [...params] });
    if (isHex(output) && output.length <= 2 + 64)
      return { kind: "returned", output: padHex(output, { size: 32 }) };
    return { kind: "refused", error: new Error("The balance that the endpoint gave is no number.") };
  } catch (error) {
    return { kind: "refused", error: requireRpcError(error) };
  }
}

function toAnswer(outcome: Called, hasCode: boolean): Answer {
  const none = { hasCode, success: false, size: 0n, word: 0n };
  if (outcome.kind === "refused") return { ...none, refusal: outcome.error };
  if (outcome.kind === "reverted") return none;
  const digits = outcome.output.slice(2);
  const word = BigInt(`0x${digits.slice(0, 64).padEnd(64, "0")}`);
  return { hasCode, success: true, size: BigInt(Math.floor(digits.length / 2)), word };
}

/** Asked for only where a contract returned nothing at all, not even a revert. */
async function findTargetsWithCode(question: Question, outcomes: readonly Called[]): Promise<Set<Address>> {
  const { reads } = question;
  const withCode = new Set<Address>();
  const silent = new Set<Address>();
  outcomes.forEach((outcome, index) => {
    if (isForBalance(reads[index]!)) return;
    const { target } = reads[index]!;
    if (outcome.kind === "refused") return;
    const isSilent = outcome.kind === "returned" && outcome.output === "0x";
    (isSilent ? silent : withCode).add(target);
  });
  const unknown = [...silent].filter((target) => !withCode.has(target));
  const found = await Promise.all(unknown.map((target) => hasCode(question, target)));
  unknown.forEach((target, index) => found[index] === true && withCode.add(target));
  return withCode;
}

/** An error when the endpoint refuses to say. Throws chain-unavailable. */
export async function hasCode(
  { client, block }: Pick<Question, "client" | "block">,
  target: Address,
): Promise<boolean | Error> {
  try {
    const code = await client.request({ method: "eth_getCode", params: [target, nameBlock(block)] });
    return typeof code === "string" && code !== "0x";
  } catch (error) {
    return requireRpcError(error);
  }
}

function isSameRevert(outcome: Called, refused: Error): boolean {
  return outcome.kind === "reverted" && wordsOf(outcome.error) === wordsOf(refused);
}

function wordsOf(error: Error): string {
  const { details, code, data } = error as { details?: unknown; code?: unknown; data?: unknown };
  return JSON.stringify([code, details, data]);
}

/** Some endpoints revert every call, which says nothing about a key; a call to an address without code shows it. */
async function requireCalls(client: ChainClient, refused: Error): Promise<void> {
  const outcome = await call(client, { target: caller, data: "0x" });
  if (isSameRevert(outcome, refused)) throw chainUnavailable(refused);
}

async function judgeSignature(
  { client, block }: Question,
  { wallet, hash, signature }: WalletSignature,
): Promise<SignatureVerdict> {
  const data = encodeFunctionData({ abi: signatureAbi, args: [hash, signature] });
  const outcome = await callAgain(call, { client, read: { target: wallet, data }, block });
  if (outcome.kind === "returned") {
    const isWhole = outcome.output.length >= 2 + 32 * 2;
    if (isWhole && outcome.output.toLowerCase().startsWith(validSignatureWord)) return "valid";
    return outcome.output === "0x" ? "no-code" : "invalid";
  }
  // A wallet that runs out of gas has not approved.
  if (outcome.kind === "reverted" || exhaustionWords.test(outcome.error.message)) return "invalid";
  throw chainUnavailable(outcome.error);
}
