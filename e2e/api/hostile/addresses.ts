/** A request without a body, with an address and headers of the maximum length. */
export type HostileAddress = {
  shape: string;
  path?: string;
  query?: string;
  headers?: Record<string, string>;
};

const long = (unit: string, chars = 8_000) => unit.repeat(Math.floor(chars / unit.length));

/** For every route with GET. */
export const anyAddresses: readonly HostileAddress[] = [
  { shape: "a query of many members", query: long("a=1&") },
  { shape: "a query of escapes", query: `a=${long("%e2%82%ac")}` },
  { shape: "a query of signs that pages escape", query: `a=${long("&'")}` },
  { shape: "many cookies", headers: { Cookie: long("a=b; ") } },
];

/** For one route of each kind, because all routes read these headers the same way. */
export const anyHeaders: readonly HostileAddress[] = [
  { shape: "a broken query", query: long("%") },
  { shape: "cookies of one name", headers: { Cookie: long("access_token=a.b.c; ") } },
  { shape: "a cookie of marks", headers: { Cookie: long('=";') } },
  { shape: "a token of dots", headers: { Authorization: `Bearer ${long(".")}` } },
  { shape: "a long token", headers: { Authorization: `Bearer ${long("eyJhbGci")}.${long("eyJhbGci")}.e` } },
  { shape: "many media types", headers: { Accept: long("a/b;q=0.1,") } },
  { shape: "a media type of spaces", headers: { Accept: `text/html${long(" ")};q=1` } },
  { shape: "many languages", headers: { "Accept-Language": long("en-a;q=0.1,") } },
  { shape: "many encodings", headers: { "Accept-Encoding": long("gzip;q=0.1,") } },
  { shape: "many tags", headers: { "If-None-Match": long('W/"a", ') } },
  { shape: "many ranges", headers: { Range: `bytes=${long("0-0,")}` } },
  { shape: "many proxies", headers: { "X-Forwarded-For": long("::1, ") } },
  { shape: "an address of colons", headers: { "X-Forwarded-For": long(":") } },
  { shape: "an origin of labels", headers: { Origin: `https://${long("a.")}` } },
  { shape: "a host of labels", headers: { "X-Forwarded-Host": long("a.") } },
  { shape: "a path of slashes", path: long("/") },
  { shape: "a path of escapes", path: `/${long("%2f")}` },
  { shape: "a path of dots", path: long("/..") },
];

/** Characters that grow inside another address, at the maximum length we accept and at a third of it. */
const growing = ["|", '"', "\\", "a/"].flatMap((unit) =>
  [4_094, 1_365].map((chars) => ({ name: `${chars} characters of ${unit}`, text: long(unit, chars) })),
);

export const doorAddresses: readonly HostileAddress[] = [
  ...growing.map(({ name, text }) => ({
    shape: `a page of ${name}`,
    headers: { "X-Forwarded-Uri": `/${text}` },
  })),
  ...["/%25", "%%", "/a", "&=", "\\"].map((unit) => ({
    shape: `a page of ${unit}`,
    headers: { "X-Forwarded-Uri": `/${long(unit)}` },
  })),
  { shape: "a whole address", headers: { "X-Original-URL": `https://wiki.example.com/${long("/..")}` } },
  { shape: "many cookies of the door", headers: { Cookie: long("__Host-latchkey-door=a.b.c; ") } },
  { shape: "a site of labels", headers: { "X-Forwarded-Host": long("a.") } },
  { shape: "a site of escapes", headers: { "X-Forwarded-Host": long("%61") } },
];

/** Requests for a site behind the door, as its proxy forwards them. */
export const siteAddresses: readonly HostileAddress[] = [
  ...growing.flatMap(({ name, text }) => [
    { shape: `a way back of ${name}`, query: `to=/a${text}` },
    { shape: `a way back with a query of ${name}`, query: `to=/?${text}` },
  ]),
  { shape: "a long way back", query: `to=${long("/%2e%2e")}` },
  { shape: "a way back of marks", query: `to=/${long("%25")}` },
  { shape: "a long code", query: `code=${long("a")}&start=${long("b")}` },
];

export const tokenIds: readonly HostileAddress[] = ["9", "0", "%39", "-"].map((unit) => ({
  shape: `an id of ${unit}`,
  path: `/api/token-status/${long(unit)}`,
}));

export const mediaAddresses: readonly HostileAddress[] = [
  { shape: "many ranges", headers: { Range: `bytes=${long("0-1,")}` } },
  { shape: "a range of digits", headers: { Range: `bytes=${long("9")}-${long("9")}` } },
  { shape: "a long signature", query: `expires=${long("9")}&signature=${long("ab")}` },
  { shape: "a file of dots", path: `/media/1/${long("../")}` },
  { shape: "a file of escapes", path: `/media/1/${long("%2e%2f")}` },
];

export const streamAddresses: readonly HostileAddress[] = [
  { shape: "a long id", path: `/api/chat/${long("a")}/stream` },
  { shape: "a long position", headers: { "Last-Event-ID": long("9") } },
  { shape: "a position of marks", headers: { "Last-Event-ID": long("1-") } },
];

export const gateAddresses: readonly HostileAddress[] = [
  { shape: "a long key", query: `lookup=${long("9")}` },
  { shape: "a key of marks", query: `lookup=${long("%3a-")}` },
  { shape: "a long door", query: `door=${long("a.")}&start=${long("a")}` },
  { shape: "a wallet of marks", headers: { Cookie: `wallet=${long('"%7b')}` } },
];
