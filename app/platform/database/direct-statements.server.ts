import type {
  ArgScalarType,
  SqlDriverAdapter,
  SqlDriverAdapterFactory,
  SqlQuery,
} from "@prisma/driver-adapter-utils";
import type { PrismaClient } from "~/generated/sqlite/client";

type Value = string | number | bigint | null;
type Connection = { adapter: SqlDriverAdapter | null };

const connections = new WeakMap<PrismaClient, Connection>();

/** Prisma connects by the factory that is returned; a closed client that is used again does so once more. */
export function keepConnection(factory: SqlDriverAdapterFactory): {
  factory: SqlDriverAdapterFactory;
  connection: Connection;
} {
  const { provider, adapterName } = factory;
  const connection: Connection = { adapter: null };
  const connect = async () => (connection.adapter = await factory.connect());
  return { factory: { provider, adapterName, connect }, connection };
}

export function registerConnection(database: PrismaClient, connection: Connection): void {
  connections.set(database, connection);
}

export function forgetConnection(database: PrismaClient): void {
  const connection = connections.get(database);
  if (connection) connection.adapter = null;
}

/**
 * The few statements that nearly every request makes, past Prisma's client and its interpreter of queries, which take
 * longer than the database. They wait in the same queue, and are retried and observed as all others. What is found is as
 * the driver has it: a number of 64 bits is a string on PostgreSQL. In a transaction Prisma's client makes them.
 */
export function directStatements(database: PrismaClient) {
  return {
    async query<Row extends object>(strings: TemplateStringsArray, ...values: Value[]): Promise<Row[]> {
      const adapter = connections.get(database)?.adapter;
      if (!adapter) return await database.$queryRaw<Row[]>(strings, ...values);
      const { columnNames, rows } = await adapter.queryRaw(toQuery(adapter, strings, values));
      return rows.map((row) => toRow<Row>(columnNames, row));
    },
    async execute(strings: TemplateStringsArray, ...values: Value[]): Promise<number> {
      const adapter = connections.get(database)?.adapter;
      if (!adapter) return await database.$executeRaw(strings, ...values);
      return await adapter.executeRaw(toQuery(adapter, strings, values));
    },
  };
}

function toRow<Row extends object>(names: readonly string[], values: readonly unknown[]): Row {
  const row: Record<string, unknown> = {};
  for (const [index, name] of names.entries()) row[name] = values[index];
  return row as Row;
}

function toQuery({ provider }: SqlDriverAdapter, strings: TemplateStringsArray, values: Value[]): SqlQuery {
  const types = values.map((value) => ({ scalarType: scalarTypeOf(value), arity: "scalar" as const }));
  return {
    sql: provider === "postgres" ? numberedText(strings) : strings.join("?"),
    args: values,
    argTypes: types,
  };
}

function scalarTypeOf(value: Value): ArgScalarType {
  if (typeof value === "bigint") return "bigint";
  if (typeof value === "number") return "int";
  return value === null ? "unknown" : "string";
}

function numberedText(strings: TemplateStringsArray): string {
  return strings.reduce((text, part, index) => `${text}$${index}${part}`);
}
