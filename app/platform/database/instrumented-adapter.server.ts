import { DriverAdapterError } from "@prisma/driver-adapter-utils";
import type {
  SqlDriverAdapter,
  SqlDriverAdapterFactory,
  SqlQueryable,
  Transaction,
} from "@prisma/driver-adapter-utils";

type Observe = (call: {
  what: "statement" | "transaction";
  isFailed: boolean;
  durationSeconds: number;
}) => void;

/** `observe`: called when a statement or transaction has ended. */
export type DatabaseInstrument = { observe?: Observe };

/** The same database, every statement and transaction timed. */
export function instrumentFactory(
  factory: SqlDriverAdapterFactory,
  { observe = () => {} }: DatabaseInstrument,
): SqlDriverAdapterFactory {
  const { provider, adapterName } = factory;
  return {
    provider,
    adapterName,
    connect: async () => instrumentAdapter(await factory.connect(), observe),
  };
}

function instrumentAdapter(adapter: SqlDriverAdapter, observe: Observe): SqlDriverAdapter {
  return {
    provider: adapter.provider,
    adapterName: adapter.adapterName,
    ...instrumentStatements(adapter, observe),
    executeScript: (script) => adapter.executeScript(script),
    ...(adapter.getConnectionInfo && { getConnectionInfo: () => adapter.getConnectionInfo!() }),
    dispose: () => adapter.dispose(),
    startTransaction: async (isolationLevel) => {
      const time = startTimer(observe, "transaction");
      const opened = adapter.startTransaction(isolationLevel);
      opened.catch(() => time(true));
      return instrumentTransaction(await opened, observe, time);
    },
  };
}

function instrumentTransaction(opened: Transaction, observe: Observe, end: EndTimer): Transaction {
  return {
    provider: opened.provider,
    adapterName: opened.adapterName,
    options: opened.options,
    ...instrumentStatements(opened, observe),
    commit: () => endWith(end, opened.commit()),
    rollback: () => endWith(end, opened.rollback()),
    ...(opened.createSavepoint && { createSavepoint: (name) => opened.createSavepoint!(name) }),
    ...(opened.rollbackToSavepoint && { rollbackToSavepoint: (name) => opened.rollbackToSavepoint!(name) }),
    ...(opened.releaseSavepoint && { releaseSavepoint: (name) => opened.releaseSavepoint!(name) }),
  };
}

function instrumentStatements(
  queryable: SqlQueryable,
  observe: Observe,
): Pick<SqlQueryable, "queryRaw" | "executeRaw"> {
  return {
    queryRaw: (query) => endWith(startTimer(observe, "statement"), queryable.queryRaw(query)),
    executeRaw: (query) => endWith(startTimer(observe, "statement"), queryable.executeRaw(query)),
  };
}

type EndTimer = (isFailed: boolean) => void;

function startTimer(observe: Observe, what: "statement" | "transaction"): EndTimer {
  const startedAtMs = performance.now();
  return (isFailed) =>
    observe({ what, isFailed, durationSeconds: (performance.now() - startedAtMs) / 1_000 });
}

function endWith<T>(end: EndTimer, work: Promise<T>): Promise<T> {
  work.then(
    () => end(false),
    (error: unknown) => end(!isUniqueConflict(error)),
  );
  return work;
}

/** A row with this key is there already, which is an answer. */
function isUniqueConflict(error: unknown): boolean {
  return error instanceof DriverAdapterError && error.cause.kind === "UniqueConstraintViolation";
}
