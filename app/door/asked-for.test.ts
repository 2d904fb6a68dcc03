import { expect, test } from "vitest";
import { readAskedFor } from "./question.server";
import { writeDoorAddress } from "./door-address";

type Headers = Record<string, string>;

const forwarded: Headers = {
  "x-forwarded-proto": "https",
  "x-forwarded-host": "wiki.example.com",
  "x-forwarded-uri": "/page?id=1",
  "x-forwarded-method": "GET",
};
const original: Headers = {
  "x-original-url": "https://wiki.example.com/page?id=1",
  "x-original-method": "GET",
};
const asked = "https://wiki.example.com/page?id=1";

function read(headers: Headers): string {
  const reading = readAskedFor(headers);
  return "fault" in reading ? "fault" : writeDoorAddress(reading.asked.address);
}

function omit(headers: Headers, name: string): Headers {
  return Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name));
}

test("each family says it, and both where they agree", () => {
  expect([forwarded, original, { ...forwarded, ...original }].map(read)).toEqual([asked, asked, asked]);
});

test.each<[string, Headers, string]>([
  ["capitals", { "x-forwarded-host": "WIKI.Example.COM" }, asked],
  ["a trailing dot", { "x-forwarded-host": "wiki.example.com." }, asked],
  [
    "a trailing dot and a port",
    { "x-forwarded-host": "wiki.example.com.:8443" },
    asked.replace(".com", ".com:8443"),
  ],
  ["the default port", { "x-forwarded-host": "wiki.example.com:443" }, asked],
  ["another port", { "x-forwarded-host": "wiki.example.com:8443" }, asked.replace(".com", ".com:8443")],
  ["bytes beyond ASCII", { "x-forwarded-uri": "/\u00c3\u0080" }, "https://wiki.example.com/%C3%80"],
  ["a WebSocket", { "x-forwarded-proto": "wss" }, asked],
  ["a comma in the path", { "x-forwarded-uri": "/a,b?c,d" }, "https://wiki.example.com/a,b?c,d"],
  ["two slashes", { "x-forwarded-uri": "//evil.example/" }, "https://wiki.example.com//evil.example/"],
])("%s is read in normal form", (_, changed, expected) => {
  expect(read({ ...forwarded, ...changed })).toBe(expected);
});

test.each<[string, Headers]>([
  ["nothing", {}],
  ...Object.keys(forwarded).map((name): [string, Headers] => [`no ${name}`, omit(forwarded, name)]),
  ...Object.keys(original).map((name): [string, Headers] => [`no ${name}`, omit(original, name)]),
  ["one of the other family", { ...original, "x-forwarded-host": "wiki.example.com" }],
  // Node joins repeated headers.
  ["two schemes", { ...forwarded, "x-forwarded-proto": "https, https" }],
  ["a list of schemes", { ...forwarded, "x-forwarded-proto": "https,http" }],
  ["two hosts", { ...forwarded, "x-forwarded-host": "evil.example, wiki.example.com" }],
  ["a list of hosts", { ...forwarded, "x-forwarded-host": "wiki.example.com,wiki.example.com" }],
  ["two paths", { ...forwarded, "x-forwarded-uri": "/a, /b" }],
  ["two methods", { ...forwarded, "x-forwarded-method": "GET, POST" }],
  ["two addresses", { ...original, "x-original-url": `${asked}, ${asked}` }],
  ["empty headers", { ...forwarded, "x-forwarded-host": "" }],
  ["a path without a slash", { ...forwarded, "x-forwarded-uri": "page" }],
  ["a whole address as path", { ...forwarded, "x-forwarded-uri": asked }],
  ["a relative address", { ...original, "x-original-url": "/page" }],
  ["an address without a scheme", { ...original, "x-original-url": "//wiki.example.com/page" }],
  ["another scheme", { ...original, "x-original-url": "ftp://wiki.example.com/" }],
  ["a user name", { ...original, "x-original-url": "https://wiki.example.com@evil.example/" }],
  ["a backslash in the host", { ...original, "x-original-url": "https://wiki.example.com\\@evil.example/" }],
  ["a fragment", { ...original, "x-original-url": `${asked}#top` }],
  ["a control character", { ...forwarded, "x-forwarded-uri": "/a\tb" }],
  ["bytes beyond ASCII in the host", { ...forwarded, "x-forwarded-host": "w\u00c3\u00adki.example.com" }],
  ["two dots", { ...forwarded, "x-forwarded-host": "wiki.example.com.." }],
  ["plain HTTP", { ...forwarded, "x-forwarded-proto": "http" }],
  ["plain HTTP in the other family", { ...original, "x-original-url": "http://wiki.example.com/" }],
  ["another host", { ...forwarded, ...original, "x-forwarded-host": "notes.example.com" }],
  ["another path", { ...forwarded, ...original, "x-forwarded-uri": "/" }],
  ["another method", { ...forwarded, ...original, "x-original-method": "POST" }],
  ["another scheme in one", { ...forwarded, ...original, "x-forwarded-proto": "http" }],
])("%s is a fault", (_, headers) => {
  expect(read(headers)).toBe("fault");
});

test("plain HTTP is for loopback names", () => {
  for (const host of ["localhost", "localhost:8080", "wiki.localhost:8080", "127.0.0.1:8080", "[::1]:8080"]) {
    const headers = { ...forwarded, "x-forwarded-proto": "http", "x-forwarded-host": host };
    expect(read(headers)).toBe(`http://${host}/page?id=1`);
  }
  const almost = { ...forwarded, "x-forwarded-proto": "http", "x-forwarded-host": "127.example.com" };
  expect(read(almost)).toBe("fault");
});

test.each<[string, Headers, boolean]>([
  ["a navigation", { "sec-fetch-mode": "navigate" }, true],
  ["an older browser", { accept: "text/html,application/xhtml+xml,*/*;q=0.8" }, true],
  ["HEAD", { accept: "text/html", "x-forwarded-method": "HEAD" }, true],
  ["a picture", { "sec-fetch-mode": "no-cors", accept: "image/*" }, false],
  ["a program", { accept: "*/*" }, false],
  ["no Accept", {}, false],
  ["a form", { accept: "text/html", "sec-fetch-mode": "navigate", "x-forwarded-method": "POST" }, false],
])("%s: whether it is a page", (_, headers, isPage) => {
  expect(readAskedFor({ ...forwarded, ...headers })).toMatchObject({ asked: { isPage } });
});
