import {
  maxMessageChars,
  maxMessages,
  maxParts,
  maxRequestBytes,
  maxRequestValues,
} from "~/chat/chat-limits";
import { maxBodyBytes as maxMcpBytes, maxBodyValues as maxMcpValues } from "~/tools/mcp/message";
import { fill, manyMembers, named, repeat } from "./shapes";

/** Characters that are slow to fold, split or read aloud, or that grow on the way. */
const units = {
  "combining marks": "\u0316\u0301",
  "signs of many letters": "\ufdfa",
  "syllables of many letters": "\ud55c",
  "signs said in words": "¾",
  "ends of no sentence": "é. ",
  "marks that open nothing": "\\\\[",
  "code that does not end": "`a ",
  "emphasis that does not end": "a**a_ ",
  "pictures that do not end": "![a](",
  "references that do not end": "&#x1F",
  "tags that do not end": "<a <!--",
  "quotes of quotes": ">>>> a\\n",
  "lists of lists": "- - - a\\n",
  "rows of a table": "|a|b\\n|-|-\\n",
  "cells of one row": "|é. ",
  "tables of other columns": "|-|-\\n|-\\n",
  "rules of no table": "a|a\\n -:\\n",
  "tables of a column": "|-|\\n|\\n",
  "columns without cells": "|-|-|\\na\\n",
  "tables in lists": "|-|\\n- a\\n\\t",
  "quotes that end one by one": `${[8, 7, 6, 5, 4, 3, 2, 1].map((depth) => `${">".repeat(depth)} a`).join("\\n")}\\n`,
  "lists that nest": "1) ",
  "signs without width": "a\u200b\u200d",
  "halves of pairs": "\\ud83d",
  "letters and digits": "a1",
  "words beside dots": "a.b.",
};
const written = (unit: string, chars: number) => {
  const { length } = JSON.parse(`"${unit}"`) as string;
  return unit.repeat(Math.floor(chars / length));
};
function ofUnits(name: string, chars: number, body: (text: string) => string) {
  return Object.fromEntries(
    Object.entries(units).map(([shape, unit]) => [`${name}: ${shape}`, body(written(unit, chars))]),
  );
}
const wideTable = (rows: number) => `|${"é. ".repeat(rows)}|\\n|-|\\n${"|a\\n".repeat(rows)}`;

const user = (members: string) => `{"messages":[{"role":"user",${members}}]}`;
const textPart = '{"type":"text","text":"a"}';

const hello = '{"role":"user","content":"a"}';
const assistant = (...parts: string[]) =>
  `{"messages":[${hello},{"role":"assistant","parts":[${parts.join(",")}]},${hello}]}`;
const earlierCall = (output: string) =>
  `{"type":"tool-a","toolCallId":"a","state":"output-available","input":{},"output":${output}}`;
/** Each has a tenth of a request's values. */
const calls = (value: string) => `[${repeat(value, maxRequestValues / 10 - 20)}]`;

export const chatBodies = named({
  ...ofUnits("the longest message", maxMessageChars, (text) => user(`"content":"${text}"`)),
  "numbers that grow in earlier calls": assistant(
    ...Array.from({ length: 9 }, () => earlierCall(calls("1e20"))),
  ),
  "quotes in earlier calls": assistant(earlierCall(`"${'\\"'.repeat(15_000)}"`)),
  "earlier calls of nothing": assistant(
    ...Array.from({ length: maxParts - 10 }, () => '{"type":"tool-a","state":"input-available"}'),
  ),
  "context of nothing": `{"messages":[${hello},${repeat('{"role":"system","content":"a"}', maxMessages - 1)}]}`,
  "85,000 empty parts": user(`"parts":[${fill("{}", maxRequestBytes - 100)}]`),
  "empty parts, as many as allowed": user(`"parts":[${repeat("{}", maxParts)}]`),
  "numbers as content": user(`"content":[${repeat("1", maxParts)}]`),
  "text parts without text": user(`"parts":[${repeat('{"type":"text"}', maxParts)}]`),
  "right parts, the last one wrong": user(`"parts":[${repeat(textPart, maxParts - 1)},{}]`),
  "a part of many members": user(`"parts":[{"type":"tool",${manyMembers(maxRequestValues - 10)}}]`),
  "metadata of many members": `{"messages":[{"role":"user","content":"a"}],"metadata":{${manyMembers(maxRequestValues - 10)}}}`,
  "messages of nothing": `{"messages":[${repeat("{}", maxMessages)}]}`,
  "9,000 messages": `{"messages":[${repeat('{"role":"user","content":""}', 9_000)}]}`,
  "wrong parts in each message": `{"messages":[${repeat(`{"role":"user","parts":[${repeat("{}", maxParts / maxMessages)}]}`, maxMessages)}]}`,
  "the longest message": user(`"content":"${"a ".repeat(maxMessageChars / 2)}"`),
  "the longest message, one word": user(`"content":"${"a".repeat(maxMessageChars)}"`),
  "the longest message, marks alone": user(`"content":"${"*_[(`".repeat(maxMessageChars / 5)}"`),
  "a hundred messages of all bytes": `{"messages":[${repeat(`{"role":"user","content":"${"why ".repeat(640)}"}`, maxMessages)}]}`,
  "a message of surrogates": user(`"content":"${"\\ud83d".repeat(maxMessageChars)}"`),
});

/** The same bodies with a conversation id, so the reply is kept. A few units are enough. */
export const resumableBodies = chatBodies
  .filter(({ shape, text }) => !shape.includes(": ") && text.startsWith('{"messages"'))
  .map(({ shape, text }, index) => ({
    shape: `${shape}, kept`,
    text: `{"id":"a-conversation-of-strangers-${index}",${text.slice(1)}`,
  }));

const call = (tool: string, input: string) =>
  `{"method":"tools/call","params":{"name":"${tool}","arguments":${input}}}`;
const search = (input: string) => call("libsql_search", `{"query":"key",${input}}`);

export const mcpBodies = named({
  ...ofUnits("the longest query", 1_000, (text) => call("libsql_search", `{"query":"${text}"}`)),
  "arguments nobody knows": call("key_status", `{"tokenId":"1",${manyMembers(maxMcpValues - 10)}}`),
  "a token id of many digits": call("key_status", `{"tokenId":"${"9".repeat(200_000)}"}`),
  "a tool's name of all bytes": call("n".repeat(maxMcpBytes - 200), "{}"),
  "a filter of many fields": search(`"filter":{${manyMembers(maxMcpValues - 10)}}`),
  "a filter of empty groups": search(`"filter":{"$and":[${repeat('{"$or":[]}', 1_600)}]}`),
  "a filter of groups in groups": search(`"filter":${'{"$and":['.repeat(28)}{}${"]}".repeat(28)}`),
  "a filter as large as allowed": search(
    `"filter":{"$and":[${repeat(`{"f":{"$in":[${repeat('"a"', 5)}]}}`, 20)}]}`,
  ),
  "a query of all bytes": call("libsql_search", `{"query":"${"a ".repeat(120_000)}"}`),
  "the longest query": call("libsql_search", `{"query":"${"a ".repeat(500).trim()}","topK":100}`),
  "a batch": `[${repeat('{"jsonrpc":"2.0","id":1,"method":"ping"}', 1_200)}]`,
  "a protocol's message with many members": `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{${manyMembers(maxMcpValues - 10)}}}}`,
});

const speech = (text: string) => `{"text":"${text}"}`;
export const speechBodies = named({
  ...ofUnits("the longest text", 4_000, speech),
  "a header before each cell": speech(wideTable(600)),
  "more columns than rows hold": speech(`${"a|".repeat(500)}\\n${"-|".repeat(500)}\\n${"b\\n".repeat(990)}`),
  "the longest text, one word": speech("a".repeat(4_000)),
  "the longest text, marks alone": speech("*_[(`#".repeat(660)),
  "the longest text, brackets": speech("[".repeat(4_000)),
  "the longest text, entities": speech("&amp;".repeat(800)),
  "the longest text, links": speech("[a](http://a) ".repeat(280)),
  "the longest text, digits": speech("9".repeat(4_000)),
  "the longest text, full stops": speech(". ".repeat(1_999)),
  "the longest text, line breaks": speech("a\\n".repeat(1_999)),
  "the longest text, tables": speech("| a ".repeat(990)),
  "the longest text, code": speech("``` ".repeat(999)),
  "the longest text, addresses": speech("https://a.b/".repeat(330)),
  "too long a text": speech("a ".repeat(16_000)),
});
