export type StatementText = { operation: string; table: string | null; text: string };

/** Statements are few and come back; raw ones whose lists differ in length could become many. */
const maxKnown = 500;
const known = new Map<string, StatementText>();
const maxTextChars = 1_000;

/** What a statement does and to which table, and its text with every value taken out that is written into it. */
export function describeStatement(sql: string): StatementText {
  const before = known.get(sql);
  if (before) return before;
  const described = describe(sql);
  if (known.size < maxKnown) known.set(sql, described);
  return described;
}

function describe(sql: string): StatementText {
  const operation = /^\s*([a-z]{2,20})\b/i.exec(sql)?.[1]?.toUpperCase() ?? "OTHER";
  const table = /\b(?:from|into|update)\s+(?:["`]\w+["`]\.)?["`]?(\w{1,64})/i.exec(sql)?.[1] ?? null;
  const text = sql
    .replace(/\/\*[\s\S]*?\*\/|--[^\n]*/g, " ")
    .replace(/[xe]?'(?:[^']|'')*'/gi, "?")
    .replace(/\$[a-z_]*\$[\s\S]*?\$[a-z_]*\$/gi, "?")
    .replace(/(?<![\w$"`])\d[\w.]*/g, "?")
    .replace(/\s+/g, " ")
    .trim();
  return { operation, table, text: text.slice(0, maxTextChars) };
}
