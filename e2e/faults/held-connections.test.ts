import { once } from "node:events";
import net from "node:net";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { listHeldClients, pollHeldConnections } from "./held-connections";

async function startGenerousServer() {
  const server = net.createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return { server, port: (server.address() as AddressInfo).port };
}

/** A client that takes nothing of what it is sent, which is more than the system keeps for it. */
async function connectReaderOfNothing({ server, port }: Awaited<ReturnType<typeof startGenerousServer>>) {
  const accepted = once(server, "connection") as Promise<[net.Socket]>;
  const client = net.connect({ host: "127.0.0.1", port }).pause();
  onTestFinished(() => void client.destroy());
  await once(client, "connect");
  const [held] = await accepted;
  onTestFinished(() => void held.destroy());
  held.write(Buffer.alloc(16 * 1024 * 1024));
  return { client, port: client.localPort!, held };
}

test.runIf(process.platform === "linux")(
  "a connection closed by the server is seen though the client reads nothing",
  async () => {
    const generous = await startGenerousServer();
    const kept = await connectReaderOfNothing(generous);
    const left = await connectReaderOfNothing(generous);
    expect(await listHeldClients(generous)).toEqual(new Set([kept.port, left.port]));
    const connections = pollHeldConnections(generous);
    onTestFinished(connections.stop);
    let isKeptCut = false;
    void connections.untilCut(kept.port).then(() => (isKeptCut = true));
    const cut = connections.untilCut(left.port);
    left.held.destroy();
    await cut;
    expect(isKeptCut).toBe(false);
    expect(await listHeldClients(generous)).toEqual(new Set([kept.port]));
    expect(left.client.closed).toBe(false);
  },
);
