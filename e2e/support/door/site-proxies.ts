// The proxies of docs/door.md with the page's own files. Only ports, certificates and folders differ.
import { spawn } from "node:child_process";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { makeSelfSigned } from "../certificates";
import { findFreePort } from "../free-port";
import { findCaddy, findNginx } from "../obtain-programs";
import type { Program } from "../obtain-programs";
import { waitUntil } from "../processes";
import { checkConfiguration, placeConfiguration, startNginx } from "../providers/nginx";
import { readDocumentedFiles, replaceEach, requireFile } from "./documented-files";
import type { DocumentedFiles } from "./documented-files";

export const gateHost = "gate.example.com";
/** The page's example. Every other site is the same block with another name and port. */
export const shownHost = "wiki.example.com";
const shownSite = "127.0.0.1:8080";

/** `sites`: the port behind each host. */
export type ProxyOptions = { latchkeyPort: number; sites: Readonly<Record<string, number>> };
export type SiteProxy = { port: number; stop: () => Promise<void> };
export type NginxOptions = ProxyOptions & {
  /** With nginx's own cache of the results, as on the page. */
  isCaching?: boolean;
  /** Without the door, so the sites are public. */
  isOpen?: boolean;
  /** The port of a site behind `fastcgi_pass`, which serves paths that end in .php, as on the page. */
  fastcgiPort?: number;
  /** Files that nginx serves itself instead of the sites, by plain HTTP on keep-alive connections. */
  filesDir?: string;
};

export async function startCaddyProxy({ latchkeyPort, sites }: ProxyOptions): Promise<SiteProxy> {
  const program = findCaddy();
  if (program === null) throw new Error("There is no Caddy.");
  const files = await readDocumentedFiles();
  const port = await findFreePort();
  const dir = await mkdtemp(path.join(os.tmpdir(), "latchkey-caddy-"));
  const latchkey = ["127.0.0.1:3000", `127.0.0.1:${latchkeyPort}`] as const;
  const [head = "", ...blocks] = requireFile(files, "/etc/caddy/Caddyfile").split(/^(?=\S+ \{$)/m);
  const shown = blocks.find((block) => block.startsWith(shownHost));
  if (shown === undefined) throw new Error(`The Caddyfile has no ${shownHost} any more.`);
  const others = blocks.filter((block) => block !== shown);
  const copies = Object.entries(sites).map(([host, sitePort]) =>
    replaceEach(shown, [
      [shownHost, host],
      [shownSite, `127.0.0.1:${sitePort}`],
    ]),
  );
  // The test's proxy isn't the machine's only one, so it needs these options. Certificates are Caddy's own.
  const surroundings = [
    ...["{", "\tadmin off", "\tlocal_certs", "\tskip_install_trust", "\tauto_https disable_redirects"],
    ...[`\thttps_port ${port}`, "\tdefault_bind 127.0.0.1", `\tstorage file_system ${dir}/storage`, "}", ""],
  ].join("\n");
  const main = replaceEach([surroundings, head, ...others, ...copies].join("\n"), [latchkey]);
  await writeFile(path.join(dir, "Caddyfile"), main);
  const snippet = requireFile(files, "/etc/caddy/latchkey.caddy");
  await writeFile(path.join(dir, "latchkey.caddy"), replaceEach(snippet, [latchkey]));
  const hosts = [gateHost, ...Object.keys(sites)];
  return { port, ...(await runCaddy({ program, dir, port, hosts })) };
}

type CaddyRun = { program: Program; dir: string; port: number; hosts: readonly string[] };

async function runCaddy({ program, dir, port, hosts }: CaddyRun) {
  let output = "";
  const file = path.join(dir, "Caddyfile");
  const child = spawn(program.command, ["run", "--config", file, "--adapter", "caddyfile"], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { PATH: process.env.PATH, HOME: dir, ...program.environment } as unknown as NodeJS.ProcessEnv,
  });
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const closed = new Promise((resolve) => child.once("close", resolve));
  const stop = async () => {
    child.kill("SIGTERM");
    await closed;
    await rm(dir, { recursive: true, force: true });
  };
  try {
    await waitUntil(async () => {
      if (child.exitCode !== null) throw new Error(`Caddy ended.\n${output}`);
      return await isListening(port);
    });
    // Certificates are obtained one by one after the port is open.
    const obtained = () => output.split("certificate obtained successfully").length - 1;
    await waitUntil(() => obtained() >= hosts.length, { timeoutMs: 20_000 });
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
}

/** It speaks TLS and rejects a plain request with a response. */
async function isListening(port: number): Promise<boolean> {
  return await fetch(`http://127.0.0.1:${port}/`).then(
    () => true,
    () => false,
  );
}

async function placeNginx({
  latchkeyPort,
  sites,
  isCaching = false,
  isOpen = false,
  fastcgiPort,
  filesDir,
}: NginxOptions) {
  const files = await readDocumentedFiles();
  const port = await findFreePort();
  const dir = await mkdtemp(path.join(os.tmpdir(), "latchkey-nginx-sites-"));
  // Its workers run as their own user and cache responses there.
  await chmod(dir, 0o755);
  const blocks: Record<string, string> = {};
  const php = placePhp(files, fastcgiPort);
  for (const [host, sitePort] of Object.entries(sites)) {
    const { keyFile, certificateFile } = await makeSelfSigned(dir, host);
    const live = `/etc/letsencrypt/live/${shownHost}`;
    blocks[`conf.d/${host}.conf`] = replaceEach(requireFile(files, "/etc/nginx/conf.d/wiki.conf"), [
      [`${live}/fullchain.pem`, certificateFile],
      [`${live}/privkey.pem`, keyFile],
      [shownHost, host],
      [shownSite, `127.0.0.1:${sitePort}`],
      ["listen 443 ssl;", `listen 127.0.0.1:${port}${filesDir === undefined ? " ssl" : ""};`],
      ...(filesDir === undefined
        ? []
        : [
            [
              `proxy_pass http://127.0.0.1:${sitePort};`,
              `root ${filesDir};\n    keepalive_requests 1000000;`,
            ] as const,
          ]),
      // A common rule of sites, which must not block signing in.
      ["  location / {", `${php}  location ~ /\\. { deny all; }\n  location / {`],
      ...(isOpen ? [["include latchkey-door.conf;", ""] as const] : []),
    ]);
  }
  const { upstream, question } = placeCache({ files, dir, isCaching });
  const deployment = await placeConfiguration(
    [
      ["    listen 80;\n", `    listen 127.0.0.1:${await findFreePort()};\n`],
      ["    listen 443 ssl;", `    listen 127.0.0.1:${port}${filesDir === undefined ? " ssl" : ""};`],
      ["127.0.0.1:3001", `127.0.0.1:${latchkeyPort}`],
      ["    server 127.0.0.1:3002 max_fails=1 fail_timeout=5s;\n", ""],
    ],
    {
      "conf.d/latchkey.conf": upstream,
      "latchkey-door.conf": question,
      "latchkey-fastcgi.conf": requireFile(files, "/etc/nginx/latchkey-fastcgi.conf"),
      ...blocks,
    },
  );
  return { port, deployment, remove: () => rm(dir, { recursive: true, force: true }) };
}

function placePhp(files: DocumentedFiles, port: number | undefined): string {
  if (port === undefined) return "";
  return replaceEach(requireFile(files, "in /etc/nginx/conf.d/wiki.conf"), [
    // The distribution's file, which names the script.
    ["    include fastcgi.conf;\n", ""],
    ["unix:/run/php/php-fpm.sock", `127.0.0.1:${port}`],
  ]);
}

function placeCache({ files, dir, isCaching }: { files: DocumentedFiles; dir: string; isCaching: boolean }) {
  const upstream = requireFile(files, "/etc/nginx/conf.d/latchkey.conf");
  const question = requireFile(files, "/etc/nginx/latchkey-door.conf");
  if (!isCaching) return { upstream, question };
  const store = requireFile(files, "in /etc/nginx/conf.d/latchkey.conf");
  const lines = requireFile(files, "in /etc/nginx/latchkey-door.conf, location = /.latchkey/question");
  return {
    upstream: upstream + replaceEach(store, [["/var/cache/nginx/latchkey", path.join(dir, "cache")]]),
    question: replaceEach(question, [['  proxy_set_body "";\n', `  proxy_set_body "";\n${lines}`]]),
  };
}

export async function startNginxProxy(options: NginxOptions): Promise<SiteProxy & { pid: number }> {
  const program = findNginx();
  if (program === null) throw new Error("There is no nginx.");
  const { port, deployment, remove } = await placeNginx(options);
  const running = await startNginx({ program, deployment, port });
  return {
    port,
    pid: running.pid,
    stop: async () => {
      await running.stop();
      await remove();
    },
  };
}

/** The output of nginx's configuration check, warnings included. */
export async function checkNginxProxy(options: NginxOptions): Promise<string> {
  const program = findNginx();
  if (program === null) throw new Error("There is no nginx.");
  const { deployment, remove } = await placeNginx(options);
  try {
    return await checkConfiguration({ program, file: deployment.file });
  } finally {
    await rm(deployment.dir, { recursive: true, force: true });
    await remove();
  }
}
