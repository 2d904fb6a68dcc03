import { expect, test } from "vitest";
import { cleanProviderMessage, findProviderMessage, toShownAddress } from "./provider-message";

const clean = (text: string, ...secrets: string[]) => cleanProviderMessage(text, secrets);

test.each([
  ["the key itself", "bad key abc123", "bad key [removed]"],
  ["the start of another key", "use sk-proj-9fA*** now", "use [removed] now"],
  ["an authorization header", "got Bearer abc.def", "got [removed]"],
  ["a long token", "saw eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9 here", "saw [removed] here"],
  ["markup and line breaks", "<b>no</b>\r\n\u0000way\u202e", "no way"],
  ["half a surrogate", "a\ud83d", "a\uFFFD"],
])("%s is removed from a provider's words", (_name, text, told) => {
  expect(clean(text, "abc123", "")).toBe(told);
});

test.each([
  ["a URL", "see http://10.0.0.7:8000/v1/chat?x=1 for more", "see [removed] for more"],
  ["a URL of another scheme", "redis://cache:6379/0 is away", "[removed] is away"],
  ["an IPv4 address", "connect to 10.1.2.3 failed", "connect to [removed] failed"],
  ["an IPv4 address with a port", "dial tcp 10.1.2.3:8000: refused", "dial tcp [removed]: refused"],
  ["an IPv6 address", "connect fe80::1%eth0 failed", "connect [removed] failed"],
  ["an IPv6 address with a port", "at [2001:db8::7]:443 now", "at [removed] now"],
  ["an IPv6 address in full", "at 2001:db8:0:0:0:0:0:7 now", "at [removed] now"],
  ["a host", "vllm-0.vllm.prod.svc.cluster.local said no", "[removed] said no"],
  ["a host with a port", "gpu7.corp:8000 said no", "[removed] said no"],
  ["a bare host with a port", "ollama:11434 said no", "[removed] said no"],
  ["localhost", "localhost refused, localhost:80 too", "[removed] refused, [removed] too"],
  ["a bare host that could not be found", "getaddrinfo ENOTFOUND gpu-box", "getaddrinfo ENOTFOUND [removed]"],
  ["a file", "cannot open /srv/models/llama.gguf here", "cannot open [removed] here"],
  ["a file of home", "in ~/models and ../etc/passwd", "in [removed] and [removed]"],
  ["a file of Windows", "at C:\\models\\a.bin or \\\\nas\\share", "at [removed] or [removed]"],
  ["a file in brackets and quotes", "('/opt/app/main.py', line 12)", "('[removed]', line 12)"],
])("%s is removed from a provider's words too", (_name, text, told) => {
  expect(clean(text)).toBe(told);
});

test.each([
  "Rate limit reached for gpt-4.1-mini: limit 3.5 requests, try again at 12:30:45 in 1.2 s",
  "The model `@cf/meta/llama-3.1-8b-instruct` and/or meta-llama/Llama-3 does not exist",
  "Invalid type for 'messages[0].content': expected one of a string or null. Code: 400, e.g. this",
  "HTTP 503: overloaded (24/7), ratio 1:2",
])("words without an address are left alone: %s", (text) => {
  expect(clean(text)).toBe(text);
});

test("a long hostile text is redacted without delay", () => {
  const parts = ["a", "a.", "a-", "1.", "::", "a:", "/", "/a", "~/", "<", "http:", "host ", "\\\\", "["];
  for (const part of parts) clean(part.repeat(Math.ceil(262_144 / part.length)));
}, 10_000);

test("a short key is removed as a word, not out of the middle of words", () => {
  expect(clean("none is nonesense (none)", "none")).toBe("[removed] is nonesense ([removed])");
  expect(clean("a+b* and a+b*c", "a+b*")).toBe("[removed] and a+b*c");
});

test("the words are at most 200 characters long", () => {
  expect(clean("word ".repeat(100)).length).toBeLessThanOrEqual(200);
});

test.each([
  ['{"error":{"message":"one"}}', "one"],
  ['{"success":false,"errors":[{"code":7,"message":"two"}]}', "two"],
  ['{"error":"three"}', "three"],
  ['{"message":"four"}', "four"],
  ['{"detail":"five"}', "five"],
  ['{"error":{"code":1}}', null],
  ["[]", null],
  ["null", null],
  ["<html>", null],
  ["", null],
])("the words in %s are found", (body, told) => {
  expect(findProviderMessage(body)).toBe(told);
});

test("an address is shown without credentials, query and closing slash", () => {
  expect(toShownAddress("http://user:pw@localhost:11434/v1/?key=x#y")).toBe("http://localhost:11434/v1");
});
