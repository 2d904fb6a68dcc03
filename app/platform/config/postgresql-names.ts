import type { Environment } from "./setting-reader";

/** Names that mean something to PostgreSQL's own tools and to its driver. No setting of ours begins like them. */
export function listPostgresqlNames(environment: Environment): string[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith("PG"))
    .sort();
}

/** Nothing, or one sentence for the operator. */
export function describePostgresqlNames(environment: Environment): string[] {
  const names = listPostgresqlNames(environment);
  if (names.length === 0) return [];
  return [`Not read, since DATABASE_URL alone says how PostgreSQL is reached: ${names.join(", ")}.`];
}
