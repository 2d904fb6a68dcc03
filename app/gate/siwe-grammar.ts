import { checksumAddress } from "viem";
import type { Address } from "viem";
import { isPathSegment, isUri } from "./uri-grammar";

/** A message as it is written, each part where EIP-4361 puts it. Times are RFC 3339 text of the real calendar. */
export type WrittenSiweMessage = {
  /** As written, which need not be a host yet. */
  domain: string;
  /** EIP-55 checksummed. */
  address: Address;
  uri: string;
  /** Decimal digits without leading zeros. */
  chainId: string;
  nonce: string;
  issuedAt: string;
  notBefore?: string;
  expirationTime?: string;
};

/** Where a text stops being a message, in words that repeat nothing of it. */
export class SiweGrammarFault extends Error {
  override readonly name = "SiweGrammarFault";
}

const title =
  /^(?:[A-Za-z][A-Za-z0-9+.-]*:\/\/)?(?<domain>[\w.~!$&'()*+,;=:@%[\]-]+) wants you to sign in with your Ethereum account:$/;
const addressShape = /^0x[0-9a-fA-F]{40}$/;
/** Printable ASCII that RFC 3986 calls reserved or unreserved, and the blank. */
const statementShape = /^[\w.~:/?#[\]@!$&'()*+,;= -]*$/;
const chainIdShape = /^(?:0|[1-9][0-9]*)$/;
const nonceShape = /^[A-Za-z0-9]{8,}$/;

/**
 * Reads a text by the grammar of EIP-4361, every line of it, or throws a SiweGrammarFault. Written by hand because a
 * parser made from the grammar takes a fifth of a sign-in's time (docs/decisions/025-what-a-sign-in-costs.md); the tests
 * hold the two against each other.
 */
export function readSiweGrammar(text: string): WrittenSiweMessage {
  const lines = createLineReader(text);
  const domain = title.exec(lines.take())?.groups?.domain;
  if (domain === undefined) throw lines.fault("invalid first line");
  const address = lines.take();
  if (!addressShape.test(address)) throw lines.fault("invalid address");
  if (checksumAddress(address as Address) !== address) throw lines.fault("invalid EIP-55 address checksum");
  skipStatement(lines);

  const uri = lines.require("URI: ", isUri);
  lines.require("Version: ", (version) => version === "1");
  const chainId = lines.require("Chain ID: ", (digits) => chainIdShape.test(digits));
  const nonce = lines.require("Nonce: ", (value) => nonceShape.test(value));
  const issuedAt = lines.require("Issued At: ", isDateTime);
  const expirationTime = lines.find("Expiration Time: ", isDateTime);
  const notBefore = lines.find("Not Before: ", isDateTime);
  lines.find("Request ID: ", isPathSegment);
  if (lines.find("Resources:", (rest) => rest === "") !== undefined) {
    while (lines.find("- ", isUri) !== undefined);
  }
  if (!lines.isAtEnd()) throw lines.fault("a line that does not belong there");
  return {
    domain,
    address: address as Address,
    uri,
    chainId,
    nonce,
    issuedAt,
    ...(notBefore !== undefined && { notBefore }),
    ...(expirationTime !== undefined && { expirationTime }),
  };
}

/** Two blank lines; or the statement, which may be empty, between them. */
function skipStatement(lines: LineReader): void {
  if (lines.take() !== "") throw lines.fault("no blank line after the address");
  const statement = lines.take();
  if (statement === "" && lines.peek()?.startsWith("URI: ")) return;
  if (!statementShape.test(statement)) throw lines.fault("invalid statement");
  if (lines.take() !== "") throw lines.fault("no blank line after the statement");
}

type LineReader = ReturnType<typeof createLineReader>;

function createLineReader(text: string) {
  const lines = text.split("\n");
  let next = 0;

  function fault(reason: string): SiweGrammarFault {
    return new SiweGrammarFault(`line ${next}: ${reason}`);
  }
  function take(): string {
    const line = lines[next];
    next += 1;
    if (line === undefined) throw fault("the message ends too early");
    return line;
  }
  /** What stands behind a label that may be missing; a value that is there has to be right. */
  function find(label: string, isRight: (value: string) => boolean): string | undefined {
    if (!lines[next]?.startsWith(label)) return undefined;
    const value = take().slice(label.length);
    if (!isRight(value)) throw fault(`invalid ${nameOf(label)}`);
    return value;
  }
  function require(label: string, isRight: (value: string) => boolean): string {
    const value = find(label, isRight);
    if (value !== undefined) return value;
    take();
    throw fault(`${nameOf(label)} should stand here`);
  }
  return { fault, take, find, require, peek: () => lines[next], isAtEnd: () => next === lines.length };
}

function nameOf(label: string): string {
  return label === "- " ? "resource" : label.replace(/: ?$/, "");
}

const dateTime =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** RFC 3339, the calendar included. Leap seconds are refused: no clock here can place them. */
function isDateTime(text: string): boolean {
  const [year, month, day] = (dateTime.exec(text) ?? []).slice(1).map(Number);
  if (year === undefined || month === undefined || day === undefined) return false;
  return month >= 1 && month <= 12 && day >= 1 && day <= countDays({ year, month });
}

function countDays({ year, month }: { year: number; month: number }): number {
  const isLeapYear = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  if (month === 2) return isLeapYear ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}
