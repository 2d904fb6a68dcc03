import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { TLSSocket, createSecureContext } from "node:tls";
import type { Certificates } from "../certificates";

const encryptionRequest = 80_877_103;
/** Agrees to encrypt, and asks for the password in clear. */
const yes = "S";
const askForPassword = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]);

/**
 * Poses as PostgreSQL, encrypts with these certificates or speaks in clear as the client requests, and asks every
 * client for its password.
 */
export async function startImpostor({
  certificateFile,
  keyFile,
}: Pick<Certificates, "certificateFile" | "keyFile">) {
  const [cert, key] = await Promise.all([readFile(certificateFile), readFile(keyFile)]);
  const secureContext = createSecureContext({ cert, key });
  const sockets = new Set<Socket>();
  let count = 0;
  let heard = "";
  const server = createServer((socket) => {
    count += 1;
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.once("data", (first: Buffer) => {
      if (first.readInt32BE(4) !== encryptionRequest) {
        heard += first.toString("latin1");
        return ask(socket);
      }
      socket.write(yes);
      const encrypted = new TLSSocket(socket, { isServer: true, secureContext });
      encrypted.on("error", () => undefined);
      encrypted.once("data", (chunk: Buffer) => {
        heard += chunk.toString("latin1");
        ask(encrypted);
      });
    });
  });
  function ask(visitor: Socket): void {
    visitor.write(askForPassword);
    visitor.once("data", (chunk: Buffer) => {
      heard += chunk.toString("latin1");
      visitor.end();
    });
  }
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    count: () => count,
    /** Everything clients have sent, decrypted if it was encrypted. */
    heard: () => heard,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
