import { createServer, connect } from "node:net";
import type { AddressInfo, Socket } from "node:net";

export type TcpSwitch = {
  port: number;
  /** Sends new connections to this port. Null: refuses new ones and cuts open ones. */
  leadTo: (port: number | null) => void;
  close: () => Promise<void>;
};

/** One address with changing servers behind it, as in a deploy or an outage. */
export async function openTcpSwitch(): Promise<TcpSwitch> {
  let target: number | null = null;
  const sockets = new Set<Socket>();
  const server = createServer((visitor) => {
    sockets.add(visitor);
    visitor.on("close", () => sockets.delete(visitor)).on("error", () => visitor.destroy());
    if (target === null) return void visitor.destroy();
    const inner = connect(target, "127.0.0.1");
    inner.on("error", () => visitor.destroy()).on("close", () => visitor.destroy());
    visitor.on("close", () => inner.destroy());
    visitor.pipe(inner).pipe(visitor);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    leadTo: (port) => {
      target = port;
      for (const socket of sockets) socket.destroy();
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
