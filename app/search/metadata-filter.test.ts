import { expect, test } from "vitest";
import { createKnowledge, openKnowledgeSearch } from "~e2e/support/search/knowledge";
import { metadataFilterSchema, toFilter } from "./metadata-filter";
import type { MetadataFilter } from "./metadata-filter";

const pages = {
  "a.md": "---\nyear: 2020\ntags: [lamp, oil]\nis_new: false\n---\nwords",
  "b.md": "---\nyear: 2022\ntags: [door]\nis_new: true\nlang: en\n---\nwords",
  "c.md": '---\nyear: "2022"\nlang: de\n---\nwords',
  "d.md": "words",
};

const cases: [MetadataFilter, string][] = [
  [{}, "abcd"],
  [{ year: 2022 }, "b"],
  [{ year: { $eq: "2022" } }, "c"],
  [{ year: { $ne: 2022 } }, "acd"],
  [{ year: { $gt: 2020 } }, "b"],
  [{ year: { $gte: 2020 } }, "ab"],
  [{ year: { $lt: 2022 } }, "a"],
  [{ year: { $lte: 2022 } }, "ab"],
  [{ year: { $gt: 2019, $lt: 2021 } }, "a"],
  [{ tags: "oil" }, "a"],
  [{ tags: { $in: ["door", "oil"] } }, "ab"],
  [{ tags: { $nin: ["door", "oil"] } }, "cd"],
  [{ is_new: true }, "b"],
  [{ is_new: 1 }, ""],
  [{ is_new: { $ne: true } }, "acd"],
  [{ lang: { $in: ["en", "de"] }, year: 2022 }, "b"],
  [{ $or: [{ lang: "de" }, { tags: "lamp" }] }, "ac"],
  [{ $and: [{ year: { $gte: 2020 } }, { $or: [{ is_new: true }, { lang: "de" }] }] }, "b"],
  [{ source: "d.md" }, "d"],
  [{ missing: "x" }, ""],
  [{ lang: "en' OR 1=1 --" }, ""],
  [{ constructor: "x" }, ""],
];

test("filters decide which passages count, for words and for vectors", async () => {
  const { find } = openKnowledgeSearch(await createKnowledge(pages));
  for (const [filter, expected] of cases) {
    const found = await find({ query: "words", filter });
    expect([
      filter,
      found
        .map(({ id }) => id.charAt(0))
        .sort()
        .join(""),
    ]).toEqual([filter, expected]);
  }
});

test("a filter applies before topK cuts the list", async () => {
  const many = Object.fromEntries(
    Array.from({ length: 200 }, (_, index) => [`m${index}.md`, "words words words"]),
  );
  const { find } = openKnowledgeSearch(await createKnowledge({ ...many, ...pages }));
  expect((await find({ query: "words", topK: 1, filter: { lang: "de" } })).map(({ id }) => id)).toEqual([
    "c.md#1",
  ]);
});

const conditions = (count: number, name: string): MetadataFilter =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${name}${index}`, 1]));
const words = (count: number) => Array.from({ length: count }, (_, index) => `w${index}`);

const deep = (levels: number): MetadataFilter => (levels === 0 ? { a: 1 } : { $and: [deep(levels - 1)] });

test.each<[unknown, RegExp]>([
  [{ $where: "x" }, /no operator or field/],
  [{ "a.b'": 1 }, /no operator or field/],
  [{ "": 1 }, /no operator or field/],
  [{ a: { $regex: "x" } }, /no operator/],
  [{ a: null }, /\$eq compares/],
  [{ a: [1] }, /\$eq compares/],
  [{ a: {} }, /compared with nothing/],
  [{ a: { $gt: "5" } }, /\$gt compares with a number/],
  [{ a: { $in: [] } }, /\$in takes a list/],
  [{ a: { $in: "x" } }, /\$in takes a list/],
  [{ a: { $nin: [{}] } }, /\$nin takes a list/],
  [{ $and: [] }, /\$and takes a list/],
  [{ $or: { a: 1 } }, /\$or takes a list/],
  [{ $or: [1] }, /is an object/],
  [deep(5), /5 levels/],
  [{ $or: Array.from({ length: 20 }, () => ({ a: 1 })) }, /20 groups in all/],
  [{ $and: Array.from({ length: 50_000 }, () => ({})) }, /20 groups in all/],
  [{ $and: [conditions(10, "a"), { $or: [conditions(11, "b")] }] }, /20 conditions in all/],
  [{ a: { $in: words(60) }, $or: [{ b: { $nin: words(41) } }] }, /100 values in all/],
  [{ a: { $in: words(101) } }, /\$in takes a list of 1 to 100/],
  [{ a: "x".repeat(3_000), b: { $in: ["x".repeat(1_001)] } }, /4000 characters of text in all/],
])("the filter %j is refused", (filter, words) => {
  expect(() => toFilter(filter as MetadataFilter)).toThrow(words);
  expect(metadataFilterSchema.safeParse(filter).error?.message).toMatch(words);
});

test("a filter at its bounds is accepted", () => {
  const edges: MetadataFilter[] = [
    deep(4),
    { $or: Array.from({ length: 19 }, () => ({ a: 1 })) },
    conditions(20, "a"),
    { a: { $in: words(60) }, b: { $in: words(40) } },
    { a: "x".repeat(4_000) },
  ];
  for (const filter of edges) expect(toFilter(filter)).toBeTypeOf("function");
});
