import { expect, test } from "vitest";
import { readCookie, trimSpaces } from "./header-text";

test("spaces and tabs are dropped from both ends, and no other white space", () => {
  expect(trimSpaces(" \t a b\t ")).toBe("a b");
  expect([trimSpaces(""), trimSpaces(" \t")]).toEqual(["", ""]);
  for (const byte of ["\u00a0", "\u000b", "\u000c", "\u0085", "\ufeff"])
    expect(trimSpaces(`${byte}a${byte}`)).toBe(`${byte}a${byte}`);
});

test("a cookie is found among others, whatever the spacing", () => {
  expect(readCookie("a=1;jwt=x;b=2", "jwt")).toBe("x");
  expect(readCookie('  jwt\t= "x" ', "jwt")).toBe("x");
  expect(readCookie("jwt=x=y", "jwt")).toBe("x=y");
  expect(readCookie("jwt=", "jwt")).toBe("");
  for (const none of [undefined, "", "jwt", "myjwt=x; jwt2=y; JWT=z"])
    expect(readCookie(none, "jwt")).toBeNull();
});

test("a name with any byte more than the cookie's own is another name", () => {
  const name = "__Host-latchkey-door";
  for (const byte of ["\u00a0", "\u0085", "\u000b", "\u000c", "\u00ad", "."]) {
    for (const other of [`${byte}${name}`, `${name}${byte}`, ` ${byte} ${name}`])
      expect(readCookie(`${other}=forged`, name)).toBeNull();
    expect(readCookie(`${byte}${name}=forged; ${name}=own`, name)).toBe("own");
    expect(readCookie(`${name}=${byte}own`, name)).toBe(`${byte}own`);
  }
});

test("two cookies of one name that differ are none, two that are the same are one", () => {
  expect(readCookie("jwt=first; a=1; jwt=second", "jwt")).toBeNull();
  expect(readCookie("jwt=; jwt=second", "jwt")).toBeNull();
  expect(readCookie("jwt=x; jwt=x\u00a0", "jwt")).toBeNull();
  expect(readCookie("jwt=x; jwt= x", "jwt")).toBe("x");
});

test("a header that is nothing but spaces takes no time", () => {
  const spaces = " \t".repeat(16_000);
  const startedAtMs = performance.now();
  expect(readCookie(`a${spaces}b=${spaces}c${spaces}d`, "jwt")).toBeNull();
  expect(trimSpaces(`a${spaces}b`)).toHaveLength(32_002);
  expect(performance.now() - startedAtMs).toBeLessThan(1_000);
});
