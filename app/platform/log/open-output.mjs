import { constants, fstatSync, openSync } from "node:fs";

/**
 * Where a write that would wait fails instead. A pipe or a terminal is opened a second time, so that this holds for us
 * alone. What cannot be, such as a socket, Node sets so for all who share it, once its stream is asked for.
 * @param {number} fileDescriptor
 * @returns {number}
 */
export function openOutput(fileDescriptor) {
  if (fstatSync(fileDescriptor).isFile()) return fileDescriptor;
  try {
    const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
    return openSync(`/proc/self/fd/${fileDescriptor}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  } catch {
    void process.stdout;
    return fileDescriptor;
  }
}
