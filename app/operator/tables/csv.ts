import type { TableValue } from "./table-spec";

/**
 * One line of RFC 4180, its end included. Spreadsheets run what begins like a formula, and what holders wrote is theirs:
 * such text gets an apostrophe before it, which makes it plain text there. Numbers are ours and stay numbers.
 */
export function csvLine(values: readonly TableValue[]): string {
  return `${values.map(csvField).join(",")}\r\n`;
}

function csvField(value: TableValue): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const text = /^[\s\p{Cf}]*[=+\-@|%\uFF1D\uFF0B\uFF0D\uFF20]|^[\t\r\n]/u.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
