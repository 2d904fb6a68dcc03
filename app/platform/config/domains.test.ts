import { expect, test } from "vitest";
import { isAllowedDomain, normalizeHost, originHost, parseDomainAllowlist, uriHost } from "./domains";

test.each([
  ["example.com", ["example.com"]],
  [" example.com , app.example.com:8443 ", ["example.com", "app.example.com:8443"]],
  ["https://example.com", ["example.com"]],
  ["HTTPS://Example.COM/gate/index.html?x=1#y", ["example.com"]],
  ["example.com/app", ["example.com"]],
  ["https://example.com:443", ["example.com"]],
  ["http://example.com:80/", ["example.com"]],
  ["example.com:443", ["example.com"]],
  ["example.com:80", ["example.com"]],
  ["http://example.com:8080", ["example.com:8080"]],
  ["bücher.example", ["xn--bcher-kva.example"]],
  ["xn--bcher-kva.example", ["xn--bcher-kva.example"]],
  ["localhost:3000", ["localhost:3000"]],
  ["127.0.0.1:3000", ["127.0.0.1:3000"]],
  ["[::1]:3000", ["[::1]:3000"]],
  ["http://[0:0:0:0:0:0:0:1]", ["[::1]"]],
  ["my_service:3000", ["my_service:3000"]],
  ["example.com,", ["example.com"]],
  ["b.example,a.example,B.example,https://b.example:443", ["b.example", "a.example"]],
])("the allowlist %j is read as %j", (value, domains) => {
  expect(parseDomainAllowlist(value)).toEqual(domains);
});

test.each([
  ["*.example.com", /"\*\.example\.com": there are no wildcards/],
  ["*", /no wildcards/],
  ["ftp://example.com", /"ftp:\/\/example\.com": only http/],
  ["example.com.", /"example\.com\.": write it without the dot/],
  ["example.com.:3000", /without the dot/],
  ["example.com:0", /"example\.com:0": not a host/],
  ["example.com:65536", /not a host/],
  ["example.com:port", /not a host/],
  ["example.com:", /not a host/],
  [".example.com", /not a host/],
  ["a..example", /not a host/],
  ["exa mple.com", /not a host/],
  ["https://", /not a host/],
  ["https:example.com", /not a host/],
  ["//example.com", /not a host/],
  ["::1", /not a host/],
  ["C:\\site", /not a host/],
  ["example.com?x", /not a host/],
])("the allowlist entry %j is refused by name", (entry, message) => {
  expect(() => parseDomainAllowlist(`good.example,${entry}`)).toThrow(message);
});

test("all bad entries of an allowlist are named at once, valid ones are not", () => {
  const parse = () => parseDomainAllowlist("a..b, good.example, c d");
  expect(parse).toThrow(/"a\.\.b".*"c d"/);
  expect(parse).not.toThrow(/good/);
});

test("an entry with a user name is refused without repeating its password", () => {
  const parse = () => parseDomainAllowlist("https://me:hunter2@example.com");
  expect(parse).toThrow(/with a user name/);
  expect(parse).not.toThrow(/hunter2/);
});

test.each(["", " ", ",", " , ,"])("the allowlist %j has no entries and is refused", (value) => {
  expect(() => parseDomainAllowlist(value)).toThrow(/empty/);
});

test.each([
  ["example.com", "example.com"],
  ["EXAMPLE.com:8080", "example.com:8080"],
  ["example.com:80", "example.com"],
  ["example.com:443", "example.com"],
  ["example.com:1", "example.com:1"],
  ["example.com:65535", "example.com:65535"],
  ["münchen.example:3000", "xn--mnchen-3ya.example:3000"],
  ["[::1]", "[::1]"],
  ["[2001:DB8::0001]:3000", "[2001:db8::1]:3000"],
  ["10.0.0.1", "10.0.0.1"],
  [`${"a".repeat(63)}.example`, `${"a".repeat(63)}.example`],
])("the host %j is normalised to %j", (host, normal) => {
  expect(normalizeHost(host)).toBe(normal);
  expect(normalizeHost(normal)).toBe(normal);
});

test.each([
  "",
  " ",
  " example.com",
  "example.com ",
  "exam ple.com",
  "example.com\t",
  "example.com\n",
  "example.com\r\nX-Evil: 1",
  "example.com\0",
  "user@example.com",
  "user:pass@example.com",
  "example.com@evil.example",
  "example.com/",
  "example.com/path",
  "example.com\\evil.example",
  "example.com?x",
  "example.com#x",
  "http://example.com",
  "example.com.",
  "example.com.:3000",
  ".",
  "example.com:",
  "example.com:0",
  "example.com:65536",
  "example.com:08080",
  "example.com:+80",
  "example.com:80:80",
  "example.com:３０００",
  ":3000",
  "example.com, evil.example",
  "*.example.com",
  "%65xample.com",
  "exam\u00adple.com",
  "exam\u200bple.com",
  "exam\u00a0ple.com",
  "-example.com",
  "example-.com",
  "a..b",
  "::1",
  "[::1",
  "[::1]x",
  "[fe80::1%25eth0]",
  "[v1.x]",
  "[127.0.0.1]",
  "127.1",
  "2130706433",
  "0x7f000001",
  "127.0.0.01",
  "256.0.0.1",
  "xn--a",
  `${"a".repeat(64)}.example`,
  `${"a.".repeat(127)}aa`,
  "a".repeat(100_000),
])("the host %j is refused, being no plain host and port", (host) => {
  expect(normalizeHost(host)).toBeNull();
});

test("a name of 253 characters is accepted, one of 254 is not", () => {
  const name = "a.".repeat(126) + "b";
  expect(normalizeHost(name)).toBe(name);
  expect(normalizeHost(`${name}c`)).toBeNull();
});

test("only exactly the same host and port is allowed", () => {
  const domains = parseDomainAllowlist("example.com,localhost:3000");
  const allowed = (host: string) => isAllowedDomain(normalizeHost(host), domains);
  expect(allowed("Example.com")).toBe(true);
  expect(allowed("example.com:443")).toBe(true);
  expect(allowed("localhost:3000")).toBe(true);
  for (const host of [
    "app.example.com",
    "evilexample.com",
    "example.com.evil.example",
    "example.co",
    "example.com:8443",
    "localhost",
    "localhost:3001",
    "localhost:30000",
    "example.com.",
  ]) {
    expect(allowed(host), host).toBe(false);
  }
  expect(isAllowedDomain(null, domains)).toBe(false);
  expect(isAllowedDomain("example.com", [])).toBe(false);
});

test.each([
  ["https://example.com", "example.com"],
  ["http://localhost:3000", "localhost:3000"],
  ["http://example.com:80", "example.com"],
  ["http://[::1]:3000", "[::1]:3000"],
  ["null", null],
  ["", null],
  ["https://", null],
  ["https://example.com/", null],
  ["https://example.com/path", null],
  ["https://example.com?x", null],
  ["https://user@example.com", null],
  ["HTTPS://example.com", null],
  ["example.com", null],
  ["file://example.com", null],
  ["chrome-extension://abcdef", null],
  ["https://example.com https://evil.example", null],
])("the origin %j has the host %j", (origin, host) => {
  expect(originHost(origin)).toBe(host);
});

test.each([
  ["https://example.com", "example.com"],
  ["https://example.com/gate?a=1#b", "example.com"],
  ["HTTP://LOCALHOST:3000/", "localhost:3000"],
  ["https://example.com:443/gate", "example.com"],
  ["https://example.com?next=@evil.example", "example.com"],
  ["https://example.com@evil.example/", null],
  ["https://evil@example.com/", null],
  ["https://evil.example\\@example.com/", null],
  ["https:///example.com", null],
  ["https:example.com", null],
  ["//example.com", null],
  ["ftp://example.com/", null],
  ["did:key:z6Mk", null],
  ["javascript:alert(1)//https://example.com", null],
])("the URI %j has the host %j", (uri, host) => {
  expect(uriHost(uri)).toBe(host);
});
