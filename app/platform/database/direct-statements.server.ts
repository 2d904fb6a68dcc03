import { Sql, sqltag } from "@prisma/client/runtime/client";
import type {
  ArgScalarType,
  SqlDriverAdapter,
  SqlDriverAdapterFactory,
  SqlQuery,
  SqlQueryable,
  Transaction,
} from "@prisma/driver-adapter-utils";
import type { PrismaClient } from "~/generated/sqlite/client";
import { withDeadline } from "~/platform/deadline";
import { retryWriteConflicts } from "./write-conflict.server";

type Value = string | number | bigint | null;

/** A part of a statement may be a value or another piece of SQL. */
export type Statements = {
  query: <Row extends object>(strings: TemplateStringsArray, ...parts: (Value | Sql)[]) => Promise<Row[]>;
  /** How many rows were changed. */
  execute: (strings: TemplateStringsArray, ...parts: (Value | Sql)[]) => Promise<number>;
};

export type TransactionStatements = Statements & {
  /** What is to follow once all of it is committed; never where it is rolled back. */
  afterCommit: (work: () => void) => void;
};

/** As the driver has it: a number of 64 bits is a string on PostgreSQL. */
export type Figure = number | bigint | string;

/** Of every transaction, Prisma's own too. Longer than SQLite waits for a locked file, so that its own error is reported. */
export const transactionLimits = { maxWait: 7_000, timeout: 10_000 };

/** An outage, as Prisma's client calls its own. */
class TransactionLate extends Error {
  override readonly name = "TransactionLate";
  readonly code = "P2028";
}

/** Null: not open yet, or closed. */
type Connection = { open: { adapter: SqlDriverAdapter; statements: Statements } | null };

const connections = new WeakMap<PrismaClient, Connection>();

/**
 * Prisma connects by the factory that is returned; a closed client that is used again does so once more. `direct`: connects
 * to the same for direct statements.
 */
export function keepConnection(
  factory: SqlDriverAdapterFactory,
  direct?: SqlDriverAdapterFactory,
): { factory: SqlDriverAdapterFactory; connection: Connection } {
  const { provider, adapterName } = factory;
  const connection: Connection = { open: null };
  async function connect(): Promise<SqlDriverAdapter> {
    const ofPrisma = await factory.connect();
    const adapter = (await direct?.connect()) ?? ofPrisma;
    connection.open = { adapter, statements: statementsOn(adapter) };
    return ofPrisma;
  }
  return { factory: { provider, adapterName, connect }, connection };
}

export function registerConnection(database: PrismaClient, connection: Connection): void {
  connections.set(database, connection);
}

export function forgetConnection(database: PrismaClient): void {
  const connection = connections.get(database);
  if (connection) connection.open = null;
}

/**
 * The few statements that nearly every request makes, past Prisma's client and its interpreter of queries, which take
 * longer than the database. They are retried and observed as all others, and on SQLite wait for their turn in the same client.
 */
export function directStatements(database: PrismaClient): Statements {
  const connection = connections.get(database);
  const byPrisma = statementsBy(database);
  const statements = () => connection?.open?.statements ?? byPrisma;
  return {
    query: (strings, ...parts) => statements().query(strings, ...parts),
    execute: (strings, ...parts) => statements().execute(strings, ...parts),
  };
}

/**
 * The same for a transaction. `work` is done again where PostgreSQL aborts it for a conflict, so it must change nothing but
 * the database, and only by the statements it is given: on SQLite any other one would wait for this transaction to end.
 */
export async function transactDirectly<T>(
  database: PrismaClient,
  work: (transaction: TransactionStatements) => Promise<T>,
): Promise<T> {
  let following: (() => void)[] = [];
  function begin(statements: Statements): Promise<T> {
    following = [];
    return work({ afterCommit: (next) => void following.push(next), ...statements });
  }
  const open = connections.get(database)?.open;
  const result = open
    ? await retryWriteConflicts(() => transactOnce(open.adapter, begin))
    : await database.$transaction((transaction) => begin(statementsBy(transaction)));
  for (const next of following) next();
  return result;
}

async function transactOnce<T>(
  adapter: SqlDriverAdapter,
  work: (statements: Statements) => Promise<T>,
): Promise<T> {
  const transaction = await startInTime(adapter);
  let isOpen = true;
  const end = async (how: "COMMIT" | "ROLLBACK") => {
    isOpen = false;
    await endTransaction(transaction, how);
  };
  let result: T;
  try {
    const statements = statementsOn(transaction, () => isOpen);
    const late = () => new TransactionLate("The transaction took too long.");
    result = await withDeadline(work(statements), transactionLimits.timeout, late);
  } catch (error) {
    // It fails as well where the connection is lost; what is thrown below says why.
    await end("ROLLBACK").catch(() => undefined);
    throw error;
  }
  await end("COMMIT");
  return result;
}

async function endTransaction(transaction: Transaction, how: "COMMIT" | "ROLLBACK"): Promise<void> {
  try {
    // Of drivers with phantom queries, `commit` and `rollback` send the statement themselves.
    if (!transaction.options.usePhantomQuery)
      await transaction.executeRaw({ sql: how, args: [], argTypes: [] });
  } catch (error) {
    await transaction.rollback();
    throw error;
  }
  await (how === "COMMIT" ? transaction.commit() : transaction.rollback());
}

/** One that begins too late is rolled back at once. */
async function startInTime(adapter: SqlDriverAdapter): Promise<Transaction> {
  const starting = adapter.startTransaction();
  try {
    const late = () => new TransactionLate("No transaction could begin in time.");
    return await withDeadline(starting, transactionLimits.maxWait, late);
  } catch (error) {
    if (error instanceof TransactionLate)
      starting.then((transaction) => endTransaction(transaction, "ROLLBACK")).catch(() => undefined);
    throw error;
  }
}

function statementsBy(prisma: Pick<PrismaClient, "$queryRaw" | "$executeRaw">): Statements {
  return {
    // Asynchronous functions: Prisma's own promises begin nothing until they are awaited.
    query: async <Row extends object>(strings: TemplateStringsArray, ...parts: (Value | Sql)[]) =>
      await prisma.$queryRaw<Row[]>(strings, ...parts),
    execute: async (strings, ...parts) => await prisma.$executeRaw(strings, ...parts),
  };
}

/** A transaction that has ended takes none: on SQLite they would be carried out on their own. */
function statementsOn(connection: SqlQueryable, isOpen = () => true): Statements {
  const requireOpen = () => {
    if (!isOpen()) throw new TransactionLate("The transaction has ended.");
  };
  return {
    async query<Row extends object>(strings: TemplateStringsArray, ...parts: (Value | Sql)[]) {
      requireOpen();
      const { columnNames, rows } = await connection.queryRaw(toQuery(connection, strings, parts));
      return rows.map((row) => toRow<Row>(columnNames, row));
    },
    async execute(strings, ...parts) {
      requireOpen();
      return await connection.executeRaw(toQuery(connection, strings, parts));
    },
  };
}

function toRow<Row extends object>(names: readonly string[], values: readonly unknown[]): Row {
  const row: Record<string, unknown> = {};
  for (const [index, name] of names.entries()) row[name] = values[index];
  return row as Row;
}

function toQuery(
  { provider }: SqlQueryable,
  givenStrings: readonly string[],
  parts: (Value | Sql)[],
): SqlQuery {
  const { strings, values } = parts.some((part) => part instanceof Sql)
    ? sqltag(givenStrings, ...parts)
    : { strings: givenStrings, values: parts };
  const types = values.map((value) => argTypes[scalarTypeOf(value as Value)]);
  return {
    sql: provider === "postgres" ? numberedText(strings) : strings.join("?"),
    args: values,
    argTypes: types,
  };
}

function scalarTypeOf(value: Value) {
  if (typeof value === "bigint") return "bigint";
  if (typeof value === "number") return "int";
  return value === null ? "unknown" : "string";
}

const scalar = (scalarType: ArgScalarType) => ({ scalarType, arity: "scalar" as const });
const argTypes = {
  bigint: scalar("bigint"),
  int: scalar("int"),
  unknown: scalar("unknown"),
  string: scalar("string"),
};

function numberedText(strings: readonly string[]): string {
  return strings.reduce((text, part, index) => `${text}$${index}${part}`);
}
