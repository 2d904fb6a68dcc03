import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

type Reply = { value: unknown } | { error: string };

export type WorkerProcess<Message, Value> = {
  pid: number;
  /** One question at a time. Rejects when the process ends before it answered. */
  ask: (message: Message) => Promise<Value>;
  stop: () => Promise<void>;
};

export type WorkerModule =
  | "load-generator.ts"
  | `peers/${"bare" | "fastify" | "better-auth" | "express-files" | "sdk-tools" | "ai-sdk"}-server.ts`
  | `scale/${"round-robin" | "chat-readers" | "model"}-process.ts`;

/** A module of this folder as a process of its own, so that its work is not counted with ours or the server's. */
export function startWorkerProcess<Message extends object, Value>(
  module: WorkerModule,
  { nodeOptions = [] }: { nodeOptions?: readonly string[] } = {},
): WorkerProcess<Message, Value> {
  const child = fork(fileURLToPath(new URL(module, import.meta.url)), {
    serialization: "advanced",
    execArgv: [...nodeOptions, "--import", "tsx"],
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  return {
    pid: child.pid!,
    ask: (message) =>
      new Promise((resolve, reject) => {
        const onReply = (reply: Reply) => {
          child.off("exit", onEnd);
          if ("error" in reply) reject(new Error(`${module}: ${reply.error}`));
          else resolve(reply.value as Value);
        };
        const onEnd = (code: number | null) => {
          child.off("message", onReply);
          reject(new Error(`${module} ended with ${code} before it answered.`));
        };
        child.once("message", onReply).once("exit", onEnd);
        child.send(message);
      }),
    async stop() {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}

/** The other end: answers each message of the parent, and ends when the parent is gone. */
export function answerParent<Message, Value>(answer: (message: Message) => Promise<Value>): void {
  process.on("disconnect", () => process.exit(0));
  process.on("message", (message) => {
    answer(message as Message).then(
      (value) => process.send!({ value } satisfies Reply),
      (error: unknown) => process.send!({ error: String(error) } satisfies Reply),
    );
  });
}
