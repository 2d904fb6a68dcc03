import { execFile, spawn } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { makeSelfSigned } from "../certificates";
import type { Program } from "../obtain-programs";
import { waitUntil } from "../processes";

const run = promisify(execFile);

type Site = { dir: string; file: string };

/**
 * `docs/nginx.conf` with only the addresses, files and ports of a test replaced. `further`: files beside it, by their
 * path below /etc/nginx.
 */
export async function placeConfiguration(
  replacements: readonly (readonly [string, string])[],
  further: Readonly<Record<string, string>> = {},
): Promise<Site> {
  const dir = await mkdtemp(path.join(os.tmpdir(), "latchkey-nginx-"));
  // Its workers run as their own user.
  await chmod(dir, 0o755);
  for (const name of ["temp", "conf.d"]) await mkdir(path.join(dir, name));
  const { keyFile, certificateFile } = await makeSelfSigned(dir, "gate.example.com");
  let text = await readFile("docs/nginx.conf", "utf8");
  // Folders that an ordinary user's program may not write to.
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `  ${name}_temp_path ${path.join(dir, "temp", name)};\n`,
  );
  for (const [search, replacement] of [
    ["pid /run/nginx.pid;", `pid ${path.join(dir, "nginx.pid")};`],
    ["http {\n", `http {\n${temporary.join("")}`],
    ["/var/log/nginx/access.log", path.join(dir, "access.log")],
    ["/etc/letsencrypt/live/gate.example.com/fullchain.pem", certificateFile],
    ["/etc/letsencrypt/live/gate.example.com/privkey.pem", keyFile],
    ["/etc/nginx/conf.d/", path.join(dir, "conf.d/")],
    ...replacements,
  ] as const) {
    if (!text.includes(search)) throw new Error(`docs/nginx.conf has no ${search} any more.`);
    text = text.replace(search, replacement);
  }
  const file = path.join(dir, "nginx.conf");
  await writeFile(file, text);
  for (const [name, content] of Object.entries(further)) await writeFile(path.join(dir, name), content);
  return { dir, file };
}

export async function checkConfiguration({
  program: { command, environment },
  file,
}: {
  program: Program;
  file: string;
}): Promise<string> {
  const env = { ...process.env, ...environment };
  const { stderr } = await run(command, ["-t", "-c", file, "-e", "stderr"], { env });
  return stderr;
}

export async function startNginx({
  program: { command, environment },
  deployment: site,
  port,
}: {
  program: Program;
  deployment: Site;
  port: number;
}) {
  let output = "";
  const child = spawn(command, ["-c", site.file, "-e", "stderr", "-g", "daemon off;"], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, ...environment },
  });
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const closed = new Promise((resolve) => child.once("close", resolve));
  await waitUntil(async () => {
    if (child.exitCode !== null) throw new Error(`nginx ended.\n${output}`);
    return await fetch(`http://127.0.0.1:${port}/healthz`).then(
      () => true,
      () => false,
    );
  });
  return {
    pid: child.pid!,
    readLog: () => readFile(path.join(site.dir, "access.log"), "utf8"),
    stop: async () => {
      child.kill("SIGTERM");
      await closed;
      await rm(site.dir, { recursive: true, force: true });
    },
  };
}
