/**
 * Calls `end` when the parent process is gone. The parent holds the other end of this process's standard input, and the
 * system closes it even if the parent is killed.
 *
 * @param {() => void} end
 */
export function endWithStarter(end) {
  process.stdin.on("close", end).resume();
}
