import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";

/**
 * Replaces systemd: the test carries out orders to `systemctl`, such as "stop latchkey". `npm` does nothing if a build
 * exists. Both are programs in `binDir`.
 */
export async function startStandIns({
  binDir,
  obey,
}: {
  binDir: string;
  /** If it rejects an order, the order fails in the shell. */
  obey: (order: string) => Promise<void>;
}) {
  const fixture = createServer((request, response) => {
    void obey(request.url!.slice(1).replaceAll("/", " ")).then(
      () => response.end(),
      () => response.writeHead(500).end(),
    );
  }).listen(0, "127.0.0.1");
  await once(fixture, "listening");
  const { port } = fixture.address() as AddressInfo;
  const programs = {
    systemctl: `exec curl -fsS "http://127.0.0.1:${port}/$(echo "$*" | tr " " /)"`,
    npm: "exit 0",
  };
  await mkdir(binDir);
  for (const [name, line] of Object.entries(programs)) {
    await writeFile(path.join(binDir, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  }
  return { close: () => void fixture.close() };
}
