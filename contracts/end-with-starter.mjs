/**
 * Calls `end` when the process that started this one is gone, however it went. The starter gives this process a pipe
 * as its standard input and keeps the other end open: the system closes it, even for one that was killed.
 *
 * @param {() => void} end
 */
export function endWithStarter(end) {
  process.stdin.on("close", end).resume();
}
