import { expect, test } from "vitest";
import { readTarget } from "./request-target";

const read = (target: string, { method = "GET" } = {}) => readTarget(method, target, "gate.example");

test.each(["/", "/a?b=c", "//evil.example/a", "/http://evil.example/"])(
  "%s is a path as it stands",
  (path) => {
    expect(read(path)).toEqual({ kind: "path", path });
  },
);

test.each([
  ["http://gate.example/api/nonce?x=1", "/api/nonce?x=1"],
  ["https://gate.example/", "/"],
  ["HTTP://GATE.example", "/"],
  ["http://gate.example?x=1", "/?x=1"],
  ["http://gate.example:80/a#b", "/a"],
  ["http://gate.example//evil.example/a", "//evil.example/a"],
])("%s is its path, when it names the host that was asked", (target, path) => {
  expect(read(target)).toEqual({ kind: "path", path });
});

test.each([
  "http://evil.example/",
  "http://gate.example:8080/",
  "http://gate.example.evil.example/",
  "http://gate.example@evil.example/",
  "http://evil.example@gate.example/",
  "http:///",
  "http://",
])("%s names another host than the one that was asked", (target) => {
  expect(read(target)).toEqual({ kind: "fault", detail: expect.stringContaining("different hosts") });
});

test("a whole address without a Host header beside it, or with a senseless one, is refused", () => {
  for (const hostHeader of [undefined, "", "gate.example/", "a b"]) {
    expect(readTarget("GET", "http://gate.example/", hostHeader).kind).toBe("fault");
  }
});

test("* is for OPTIONS alone", () => {
  expect(read("*", { method: "OPTIONS" })).toEqual({ kind: "server" });
  for (const method of ["GET", "POST", "HEAD"]) expect(read("*", { method }).kind).toBe("fault");
});

test.each(["", "gate", "gate.example:443", "ftp://gate.example/", "file:///etc/passwd", "http:/a"])(
  "%j is no target",
  (target) => {
    expect(read(target)).toEqual({ kind: "fault", detail: expect.stringContaining("no path") });
  },
);
