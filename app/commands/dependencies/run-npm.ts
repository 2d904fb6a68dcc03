import { spawn } from "node:child_process";

/** npm's output and complaints, whatever its exit code; settings of npm come from the environment, as ever. */
export function runNpm(parameters: readonly string[]): Promise<{ output: string; complaint: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn("npm", parameters, {
      stdio: ["ignore", "pipe", "pipe"],
      shell: process.platform === "win32",
    });
    let output = "";
    let complaint = "";
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (complaint += chunk.toString()));
    child.once("error", reject);
    child.once("close", () => resolve({ output, complaint }));
  });
}
