import { setTimeout as delay } from "node:timers/promises";
import { encodeFunctionData, isHex, padHex, parseAbi } from "viem";
import type { Address, Hex } from "viem";
import type { ChainClient } from "~/platform/chain/chain-client.server";
import { isRevert } from "~/platform/chain/rpc-reply.server";
import { chainUnavailable } from "~/platform/refusals/refusal";
import { readHeader, caller, nameBlock, requireRpcError } from "./chain-probe.gateway.server";
import type { Question } from "./chain-probe.gateway.server";
import type { Read, ReadResult, ReadResults, SignatureVerdict, WalletSignature } from "./reads/read";

const retryAfterMs = 200;
/** Only large sets of ERC-1155 holdings need more. */
const maxConcurrentCalls = 20;
const signatureAbi = parseAbi([
  "function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)",
]);
const validSignatureWord = "0x1626ba7e";
/** How nodes report that a call ran out of gas. */
const exhaustionWords = /out ?of ?gas|gas required exceeds|gas limit/i;

/** `returned` also covers an address without code, with empty output. */
type Called =
  { kind: "returned"; output: Hex } | { kind: "reverted"; error: Error } | { kind: "refused"; error: Error };

/**
 * For chains that run only the code of contracts. Plain calls don't return their block, so its header is read first.
 * `refused`: the endpoint's response to the probe.
 */
export async function readPlainly(given: Question, refused: Error | null): Promise<ReadResults> {
  const { client, reads, signed } = given;
  const header = await readHeader(client, given.block);
  const question = { ...given, block: header.blockNumber };
  const [outcomes, verdict] = await Promise.all([
    callEach(question),
    // A failed wallet call must not hide that the contract call failed too.
    signed ? judgeSignature(question, signed).catch((error: unknown) => ({ error })) : null,
  ]);
  requireResponses(reads, outcomes);
  const calls = outcomes.filter((_outcome, index) => !isForBalance(reads[index]!));
  const isOnlyBalances = reads.length > 0 && calls.length === 0 && !signed;
  if (refused && !isOnlyBalances && calls.every((outcome) => isSameRevert(outcome, refused))) {
    await requireCalls(client, refused);
  }
  if (typeof verdict === "object" && verdict) throw verdict.error;
  const withCode = await findTargetsWithCode(question, outcomes);
  const results = outcomes.map((outcome, index) => toResult(outcome, withCode.has(reads[index]!.target)));
  return { ...header, results, verdict };
}

/** An endpoint that refuses every read is unavailable, even if all reads are optional. */
function requireResponses(reads: readonly Read[], outcomes: readonly Called[]): void {
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
  for (let start = 0; start < reads.length; start += maxConcurrentCalls) {
    const some = reads.slice(start, start + maxConcurrentCalls);
    outcomes.push(...(await Promise.all(some.map((read) => callWithRetry(client, read, block)))));
  }
  return outcomes;
}

/** Nodes behind one address may lack a block that another of them has just named. */
async function callWithRetry(client: ChainClient, read: Read, block?: bigint): Promise<Called> {
  const send = isForBalance(read) ? readBalance : call;
  const outcome = await send(client, read, block);
  if (outcome.kind !== "refused" || read.isOptional) return outcome;
  await delay(retryAfterMs);
  return await send(client, read, block);
}

async function call(client: ChainClient, { target, data }: Read, block?: bigint): Promise<Called> {
  try {
    const params = [{ from: caller, to: target, data }, nameBlock(block)] as const;
    return { kind: "returned", output: await client.request({ method: "eth_call", params: [...params] }) };
  } catch (error) {
    const found = requireRpcError(error);
    return { kind: isRevert(found) ? "reverted" : "refused", error: found };
  }
}

async function readBalance(client: ChainClient, { target }: Read, block?: bigint): Promise<Called> {
  try {
    const params = [target, nameBlock(block)] as const;
    const output: unknown = await client.request({ method: "eth_getBalance", params: [...params] });
    if (isHex(output) && output.length <= 2 + 64)
      return { kind: "returned", output: padHex(output, { size: 32 }) };
    return { kind: "refused", error: new Error("The endpoint returned a balance that is not a number.") };
  } catch (error) {
    return { kind: "refused", error: requireRpcError(error) };
  }
}

function toResult(outcome: Called, hasCode: boolean): ReadResult {
  const none = { hasCode, success: false, size: 0n, word: 0n };
  if (outcome.kind === "refused") return { ...none, refusal: outcome.error };
  if (outcome.kind === "reverted") return none;
  const digits = outcome.output.slice(2);
  const word = BigInt(`0x${digits.slice(0, 64).padEnd(64, "0")}`);
  return { hasCode, success: true, size: BigInt(Math.floor(digits.length / 2)), word };
}

/** Reads the code only of targets that returned nothing at all, not even a revert. */
async function findTargetsWithCode(question: Question, outcomes: readonly Called[]): Promise<Set<Address>> {
  const { reads } = question;
  const withCode = new Set<Address>();
  const silent = new Set<Address>();
  outcomes.forEach((outcome, index) => {
    const read = reads[index]!;
    if (isForBalance(read) || outcome.kind === "refused") return;
    const isSilent = outcome.kind === "returned" && outcome.output === "0x";
    (isSilent ? silent : withCode).add(read.target);
  });
  const unknown = [...silent].filter((target) => !withCode.has(target));
  const found = await Promise.all(unknown.map((target) => hasCode(question, target)));
  unknown.forEach((target, index) => found[index] === true && withCode.add(target));
  return withCode;
}

/** An error if the endpoint refuses. Throws chain-unavailable. */
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

/** Some endpoints revert every call, which says nothing about a key. A call to an address without code reveals them. */
async function requireCalls(client: ChainClient, refused: Error): Promise<void> {
  const outcome = await call(client, { target: caller, data: "0x" });
  if (isSameRevert(outcome, refused)) throw chainUnavailable(refused);
}

async function judgeSignature(
  { client, block }: Question,
  { wallet, hash, signature }: WalletSignature,
): Promise<SignatureVerdict> {
  const data = encodeFunctionData({ abi: signatureAbi, args: [hash, signature] });
  const outcome = await callWithRetry(client, { target: wallet, data }, block);
  if (outcome.kind === "returned") {
    const isWhole = outcome.output.length >= 2 + 32 * 2;
    if (isWhole && outcome.output.toLowerCase().startsWith(validSignatureWord)) return "valid";
    return outcome.output === "0x" ? "no-code" : "invalid";
  }
  // A wallet that runs out of gas has not approved.
  if (outcome.kind === "reverted" || exhaustionWords.test(outcome.error.message)) return "invalid";
  throw chainUnavailable(outcome.error);
}
