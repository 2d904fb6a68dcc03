// Plain JavaScript: the supervisor and the demo use it before the server is loaded.
import { isatty } from "node:tty";

const plain = /^[\w.:/@%+-]+$/;
// Terminals obey these, and JSON leaves them as they are.
const controls = /[\u007f-\u009f]/g;

/** @param {string | null | undefined} format what LOG_FORMAT says */
export function isTextFormat(format) {
  return format ? format.toLowerCase() === "text" : isatty(1);
}

/**
 * A line of the log for people: time, level, message, then the fields.
 *
 * @param {string} line a JSON object
 */
export function toTextLine(line) {
  const { time, level, msg, pid: _pid, hostname: _hostname, ...fields } = JSON.parse(line);
  const shown = Object.entries(fields).map(([name, value]) => `${name}=${toText(value)}`);
  const clock = new Date(time).toTimeString().slice(0, 8);
  return [clock, level.toUpperCase().padEnd(5), msg, ...shown].join(" ").replaceAll(controls, escape);
}

/** @param {unknown} value */
function toText(value) {
  return typeof value === "string" && plain.test(value) ? value : JSON.stringify(value);
}

/** @param {string} letter */
function escape(letter) {
  return `\\u00${letter.charCodeAt(0).toString(16)}`;
}
