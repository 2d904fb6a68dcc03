import { beginSpan, nameFailure } from "~/platform/tracing/spans";
import { RedisOutage } from "./redis-outage";

/** `away`: Redis could not be asked, or did not answer in time. `error`: it refused, which is a defect of ours. */
export type RedisOutcome = "ok" | "away" | "error";

export type RedisInstrument = {
  /** Called when a command has ended. `command`: the name of its script, or its own where it runs none. */
  observe?: (call: { command: string; outcome: RedisOutcome; durationSeconds: number }) => void;
};

type Command<T> = { instrument: RedisInstrument; command: string; script?: string; run: () => Promise<T> };

/** Names only: keys and values hold nonces, network addresses and key ids. */
export async function observeCommand<T>({ instrument, command, script, run }: Command<T>): Promise<T> {
  const { observe } = instrument;
  const startedAtMs = performance.now();
  const span = beginSpan({
    name: script === undefined ? command : `${command} ${script}`,
    attributes: {
      "db.system.name": "redis",
      "db.operation.name": command,
      ...(script !== undefined && { "db.stored_procedure.name": script }),
    },
  });
  function tell(outcome: RedisOutcome): void {
    const durationSeconds = (performance.now() - startedAtMs) / 1_000;
    observe?.({ command: script ?? command, outcome, durationSeconds });
  }
  try {
    const answer = await run();
    tell("ok");
    span.end();
    return answer;
  } catch (error) {
    tell(error instanceof RedisOutage ? "away" : "error");
    span.end({ error: nameFailure(error) });
    throw error;
  }
}
