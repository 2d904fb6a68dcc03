import { expect, test } from "vitest";
import {
  doorCookieName,
  maxReturnPathChars,
  readDoorCookie,
  toReturnPath,
  writeDoorCookie,
} from "./door-address";

const base = "https://wiki.example.com/here";

test.each([
  ["/", "/"],
  ["/page?id=1&to=2", "/page?id=1&to=2"],
  ["/a/../b", "/b"],
  ["/a?u=https://evil.example", "/a?u=https://evil.example"],
  ["/ö", "/%C3%B6"],
  ["/search?q=C:\\Users", "/search?q=C:%5CUsers"],
  [`/${"a".repeat(maxReturnPathChars - 1)}`, `/${"a".repeat(maxReturnPathChars - 1)}`],
])("%s is a way back", (given, path) => {
  expect(toReturnPath(given)).toBe(path);
});

test.each([
  null,
  "",
  "page",
  "//evil.example",
  "///evil.example",
  "/\\evil.example",
  "\\\\evil.example",
  "/\t/evil.example",
  "/\n/evil.example",
  " //evil.example",
  "/.//evil.example",
  "/a/..//evil.example",
  "/%2e//evil.example",
  "/.\\/evil.example",
  "https://evil.example/",
  "https:evil.example",
  "javascript:alert(1)",
  "/page\r\nSet-Cookie: a=b",
  "/page\u0000",
  "/.latchkey/leave",
  "/.latchkey",
  "/a/../.latchkey/start?to=/",
  "/.LATCHKEY/leave",
  `/${"a".repeat(maxReturnPathChars)}`,
  `/${"ö".repeat(1000)}`,
  // Written into another address, these would be three to six times as long.
  `/${"|".repeat(4_095)}`,
  `/a${"/".repeat(4_000)}`,
  `/?${'"'.repeat(1_300)}`,
  `/?${"\\".repeat(1_300)}`,
  `/${"|".repeat(300)}`,
])("%j leads to the front page instead", (given) => {
  const path = toReturnPath(given);
  expect(path).toBe("/");
  expect(new URL(path, base).host).toBe("wiki.example.com");
});

test("cookies name the host by their prefix, and on loopback names without TLS the port", () => {
  const names = [
    { scheme: "https", host: "wiki.example.com:8443" },
    { scheme: "https", host: "localhost:8443" },
    { scheme: "http", host: "localhost:8080" },
    { scheme: "http", host: "localhost" },
    { scheme: "http", host: "[::1]:81" },
  ] as const;
  expect(names.map((site) => doorCookieName("door", site))).toEqual([
    "__Host-latchkey-door",
    "__Host-latchkey-door",
    "latchkey-door-8080",
    "latchkey-door-80",
    "latchkey-door-81",
  ]);
  const plain = { scheme: "http", host: "localhost:8080" } as const;
  expect(writeDoorCookie("start", plain, { value: "v", maxAgeSeconds: 1.9 })).toBe(
    "latchkey-start-8080=v; Path=/; Max-Age=1; HttpOnly; SameSite=Lax",
  );
  expect(readDoorCookie("start", plain, "latchkey-start-80=a; latchkey-start-8080=b")).toBe("b");
  expect(readDoorCookie("start", plain, "latchkey-start-8080=")).toBeNull();
});
