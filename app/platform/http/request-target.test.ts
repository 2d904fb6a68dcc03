import { expect, test } from "vitest";
import { readTarget } from "./connection/http-server.server";

const read = (target: string, { method = "GET" } = {}) => readTarget(method, target, "gate.example");

test.each(["/", "/a?b=c", "//evil.example/a", "/http://evil.example/"])("%s is read as a path", (path) => {
  expect(read(path)).toEqual({ kind: "path", path });
});

test.each([
  ["http://gate.example/api/nonce?x=1", "/api/nonce?x=1"],
  ["https://gate.example/", "/"],
  ["HTTP://GATE.example", "/"],
  ["http://gate.example?x=1", "/?x=1"],
  ["http://gate.example:80/a#b", "/a"],
  ["http://gate.example//evil.example/a", "//evil.example/a"],
])("%s is read as its path, since it names the requested host", (target, path) => {
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
])("%s is refused, since it names another host than the requested one", (target) => {
  expect(read(target)).toEqual({ kind: "fault", detail: expect.stringContaining("different hosts") });
});

test("an absolute URL is refused without a Host header, or with an invalid one", () => {
  for (const hostHeader of [undefined, "", "gate.example/", "a b"]) {
    expect(readTarget("GET", "http://gate.example/", hostHeader).kind).toBe("fault");
  }
});

test("the target * is accepted for OPTIONS alone", () => {
  expect(read("*", { method: "OPTIONS" })).toEqual({ kind: "server" });
  for (const method of ["GET", "POST", "HEAD"]) expect(read("*", { method }).kind).toBe("fault");
});

test.each(["", "gate", "gate.example:443", "ftp://gate.example/", "file:///etc/passwd", "http:/a"])(
  "the target %j is refused",
  (target) => {
    expect(read(target)).toEqual({ kind: "fault", detail: expect.stringContaining("no path") });
  },
);
