import { expect, test } from "vitest";
import { readNotices } from "./notices";

const nowMs = 1_700_000_000_400;

function read(search: string) {
  return readNotices(new URLSearchParams(search), nowMs);
}

test("the wait is counted from now, however often the page is loaded", () => {
  const search = "fault=too-many-requests&until=1700000060";
  expect(read(search)).toEqual([
    {
      tone: "problem",
      title: "Too many requests",
      text: "Your input was not checked.",
      waitSeconds: 60,
    },
  ]);
  const later = (atMs: number) => readNotices(new URLSearchParams(search), atMs)[0]?.waitSeconds;
  expect([later(nowMs + 59_000), later(nowMs + 60_000), later(nowMs + 3_600_000)]).toEqual([1, 0, 0]);
});

test("another refusal with a time keeps its own words", () => {
  const [notice] = read("fault=state-unavailable&until=1700000005");
  expect(notice?.waitSeconds).toBe(5);
  expect(notice?.text).not.toContain("not checked");
});

test.each(["", "&until=", "&until=soon", "&until=-5", "&until=1e9", "&until=1234567890123"])(
  "an invalid time is ignored: %j",
  (rest) => {
    const [notice] = read(`fault=too-many-requests${rest}`);
    expect(notice).not.toHaveProperty("waitSeconds");
    expect(notice?.text).toContain("Wait for the number of seconds");
  },
);

test("a wait is never longer than a limit can last", () => {
  expect(read("fault=too-many-requests&until=999999999999")[0]?.waitSeconds).toBe(999_999);
});

test("words of the address are never repeated on the page", () => {
  expect(read("fault=<b>nothing&done=constructor&until=1700000060")).toEqual([]);
});
