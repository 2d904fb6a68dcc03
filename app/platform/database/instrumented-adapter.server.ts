import { DriverAdapterError } from "@prisma/driver-adapter-utils";
import type {
  SqlDriverAdapter,
  SqlDriverAdapterFactory,
  SqlQueryable,
  Transaction,
} from "@prisma/driver-adapter-utils";
import { nameFailure } from "~/platform/tracing/operation";
import type { BeginOperation, Ongoing } from "~/platform/tracing/operation";
import { describeStatement } from "./statement-text";

export type DatabaseInstrument = {
  /** Called when a statement or transaction has ended. */
  observe?: (call: { what: "statement" | "transaction"; isFailed: boolean; durationSeconds: number }) => void;
  /** Called when one begins, with what it is. */
  begin?: BeginOperation;
};

type Observers = DatabaseInstrument & Required<Pick<DatabaseInstrument, "observe">> & { system: string };
type Statements = Pick<SqlQueryable, "queryRaw" | "executeRaw">;

/** The same database, every statement and transaction observed. `system`: as OpenTelemetry calls it. */
export function instrumentFactory(
  factory: SqlDriverAdapterFactory,
  system: "sqlite" | "postgresql",
  instrument: DatabaseInstrument,
): SqlDriverAdapterFactory {
  const { provider, adapterName } = factory;
  const observers: Observers = { observe: () => {}, ...instrument, system };
  return {
    provider,
    adapterName,
    connect: async () => instrumentAdapter(await factory.connect(), observers),
  };
}

function instrumentAdapter(adapter: SqlDriverAdapter, observers: Observers): SqlDriverAdapter {
  return {
    provider: adapter.provider,
    adapterName: adapter.adapterName,
    ...instrumentStatements(adapter, observers),
    executeScript: (script) => adapter.executeScript(script),
    ...(adapter.getConnectionInfo && { getConnectionInfo: () => adapter.getConnectionInfo!() }),
    dispose: () => adapter.dispose(),
    startTransaction: async (isolationLevel) => {
      const transaction = openOperation(observers);
      try {
        const opened = await adapter.startTransaction(isolationLevel);
        return instrumentTransaction(opened, observers, transaction);
      } catch (error) {
        transaction.end({ error });
        throw error;
      }
    },
  };
}

function instrumentTransaction(
  opened: Transaction,
  observers: Observers,
  transaction: OpenOperation,
): Transaction {
  return {
    provider: opened.provider,
    adapterName: opened.adapterName,
    options: opened.options,
    ...instrumentStatements(opened, observers, transaction.ongoing),
    commit: () => transaction.endWith(opened.commit()),
    rollback: () => transaction.endWith(opened.rollback()),
    ...(opened.createSavepoint && { createSavepoint: (name) => opened.createSavepoint!(name) }),
    ...(opened.rollbackToSavepoint && { rollbackToSavepoint: (name) => opened.rollbackToSavepoint!(name) }),
    ...(opened.releaseSavepoint && { releaseSavepoint: (name) => opened.releaseSavepoint!(name) }),
  };
}

function instrumentStatements(queryable: SqlQueryable, observers: Observers, within?: Ongoing): Statements {
  const observed = <T>(sql: string, run: () => Promise<T>) => {
    const { endWith } = openOperation(observers, sql, within);
    return endWith(run());
  };
  return {
    queryRaw: (query) => observed(query.sql, () => queryable.queryRaw(query)),
    executeRaw: (query) => observed(query.sql, () => queryable.executeRaw(query)),
  };
}

type OpenOperation = ReturnType<typeof openOperation>;

/** `sql`: of a statement; without it, of a transaction. */
function openOperation({ begin, observe, system }: Observers, sql?: string, within?: Ongoing) {
  const startedAtMs = performance.now();
  const ongoing = begin?.({ kind: "database", ...describe(sql, system), within });
  function end(outcome: { error?: unknown }): void {
    const isFailed = "error" in outcome && !isUniqueConflict(outcome.error);
    const what = sql === undefined ? "transaction" : "statement";
    observe({ what, isFailed, durationSeconds: (performance.now() - startedAtMs) / 1_000 });
    ongoing?.end(isFailed ? { error: nameFailure(outcome.error) } : {});
  }

  async function endWith<T>(work: Promise<T>): Promise<T> {
    try {
      const result = await work;
      end({});
      return result;
    } catch (error) {
      end({ error });
      throw error;
    }
  }
  return { ongoing, end, endWith };
}

/** That a row with this key is there already is an answer. */
function isUniqueConflict(error: unknown): boolean {
  return error instanceof DriverAdapterError && error.cause.kind === "UniqueConstraintViolation";
}

function describe(sql: string | undefined, system: string) {
  if (sql === undefined) return { name: "transaction", attributes: { "db.system.name": system } };
  const { operation, table, text } = describeStatement(sql);
  return {
    name: table === null ? operation : `${operation} ${table}`,
    attributes: {
      "db.system.name": system,
      "db.operation.name": operation,
      ...(table !== null && { "db.collection.name": table }),
      "db.query.text": text,
    },
  };
}
