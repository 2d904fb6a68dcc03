import { constants, fstatSync, openSync } from "node:fs";

/**
 * An output whose writes fail instead of waiting. A pipe or a terminal is opened a second time, so that only this
 * process is affected. For others, such as a socket, Node sets this for all who share it once its stream is requested.
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
