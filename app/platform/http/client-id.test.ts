import { expect, test } from "vitest";
import { clientIdentifier, compileTrust, isPeerTrusted, requestHost } from "./client-id.server";

type Case = { trust?: string; socket?: string; forwarded?: string; client: string; why?: string };

function identify({ trust, socket, forwarded }: Case): string {
  return clientIdentifier(socket, forwarded, compileTrust(trust));
}

test.each<Case>([
  { socket: "203.0.113.7", client: "203.0.113.7" },
  { socket: "::ffff:203.0.113.7", client: "203.0.113.7" },
  { socket: "::ffff:cb00:7107", client: "203.0.113.7" },
  { socket: "2001:db8:1:2:3:4:5:6", client: "2001:db8:1:2::/64" },
  { socket: "2001:DB8:1:2:ffff:ffff:ffff:ffff", client: "2001:db8:1:2::/64" },
  { socket: "2001:db8:1:3::", client: "2001:db8:1:3::/64" },
  { socket: "fe80::1%eth0", client: "fe80::/64" },
  { socket: "fe80::2%25wlan0", client: "fe80::/64" },
  { socket: "::1", client: "::/64" },
  { socket: undefined, client: "unknown" },
  { socket: "", client: "unknown" },
  { socket: "/run/gate.sock", client: "unknown" },
])("without a trusted proxy the socket address $socket counts as $client", (row) => {
  expect(identify(row)).toBe(row.client);
  expect(identify({ ...row, forwarded: "198.51.100.1" })).toBe(row.client);
  expect(identify({ ...row, trust: "192.0.2.0/24", forwarded: "198.51.100.1" })).toBe(row.client);
});

test.each<Case>([
  { trust: "1", forwarded: "198.51.100.1", client: "198.51.100.1" },
  {
    trust: "1",
    forwarded: "6.6.6.6, 198.51.100.1",
    client: "198.51.100.1",
    why: "the left part is the client's",
  },
  { trust: "2", forwarded: "6.6.6.6, 198.51.100.1, 10.0.0.9", client: "198.51.100.1" },
  { trust: "2", forwarded: "198.51.100.1", client: "198.51.100.1", why: "fewer hops than counted" },
  { trust: "1", forwarded: undefined, client: "10.0.0.1", why: "the proxy itself asks" },
  { trust: "1", forwarded: "", client: "10.0.0.1" },
  { trust: "1", forwarded: " , ,", client: "10.0.0.1" },
  { trust: "1", forwarded: "198.51.100.1,", client: "198.51.100.1" },
  { trust: "0", forwarded: "198.51.100.1", client: "10.0.0.1" },
  { trust: "false", forwarded: "198.51.100.1", client: "10.0.0.1" },
  { trust: "", forwarded: "198.51.100.1", client: "10.0.0.1" },
  { trust: "10.0.0.1", forwarded: "198.51.100.1", client: "198.51.100.1" },
  { trust: "10.0.0.0/8", forwarded: "6.6.6.6, 198.51.100.1, 10.9.9.9", client: "198.51.100.1" },
  { trust: "10.0.0.0/255.0.0.0", forwarded: "198.51.100.1", client: "198.51.100.1" },
  { trust: "10.0.0.2", forwarded: "198.51.100.1", client: "10.0.0.1", why: "another proxy" },
  { trust: "uniquelocal", forwarded: "10.1.1.1, 198.51.100.1, 192.168.3.4", client: "198.51.100.1" },
  { trust: "uniquelocal", forwarded: "10.1.1.1", client: "10.1.1.1", why: "all trusted: the farthest" },
  { trust: "10.0.0.1, 192.0.2.0/24", forwarded: "198.51.100.1, 192.0.2.55", client: "198.51.100.1" },
  { trust: "1", forwarded: "2001:db8:1:2:3::9", client: "2001:db8:1:2::/64" },
  { trust: "1", forwarded: "::ffff:198.51.100.1", client: "198.51.100.1" },
  { trust: "1", forwarded: "198.51.100.1:51234", client: "198.51.100.1" },
  { trust: "1", forwarded: "[2001:db8:1:2::9]:443", client: "2001:db8:1:2::/64" },
  { trust: "1", forwarded: "[2001:db8:1:2::9]", client: "2001:db8:1:2::/64" },
  { trust: "1", forwarded: "fe80::1%eth0", client: "fe80::/64" },
])("behind 10.0.0.1 with TRUST_PROXY=$trust, X-Forwarded-For $forwarded counts as $client", (row) => {
  expect(identify({ ...row, socket: "10.0.0.1" })).toBe(row.client);
  expect(identify({ ...row, socket: "::ffff:10.0.0.1" })).toBe(row.client);
});

const hostileEntries = [
  ...[
    "unknown",
    "_hidden",
    "-",
    "localhost",
    "example.org",
    "1",
    "0x7f.0.0.1",
    "010.0.0.1",
    "1.2.3",
    "1.2.3.4.5",
  ],
  ...[
    "256.1.1.1",
    "1.2.3.4:",
    "1.2.3.4:999999",
    "1.2.3.4/8",
    "1::2::3",
    "[::1",
    "::1]",
    "[]",
    ":::",
    "::ffff:999.1.1.1",
  ],
  ...[
    "\u0000",
    "1.2.3.4\u0000",
    "\u00a01.2.3.4",
    "1.2.3.4\u00a0",
    "１.2.3.4",
    "__proto__",
    "constructor",
    "'; DROP TABLE",
    "%",
    "%eth0",
  ],
  ...[
    "9".repeat(10_000),
    ":".repeat(10_000),
    `${"1:".repeat(5_000)}1`,
    "1.2.3.4 5.6.7.8",
    '"1.2.3.4"',
    "for=1.2.3.4",
  ],
];

test.each(hostileEntries.map((entry) => ({ entry, shown: entry.slice(0, 40) })))(
  "an entry that is no address ($shown) is never the identifier and vouches for nobody",
  ({ entry }) => {
    const socket = "10.0.0.1";
    expect(identify({ trust: "1", socket, forwarded: entry, client: "" })).toBe("10.0.0.1");
    expect(identify({ trust: "3", socket, forwarded: `6.6.6.6, ${entry}`, client: "" })).toBe("10.0.0.1");
    expect(
      identify({ trust: "uniquelocal", socket, forwarded: `6.6.6.6, ${entry}, 10.0.0.2`, client: "" }),
    ).toBe("10.0.0.2");
    expect(identify({ trust: "1", socket, forwarded: `${entry}, 198.51.100.1`, client: "" })).toBe(
      "198.51.100.1",
    );
    expect(identify({ trust: "1", socket: entry, forwarded: "198.51.100.1", client: "" })).toBe("unknown");
  },
);

test("a client cannot choose its identifier by what it sends through a proxy that appends", () => {
  const sent = [
    "1.1.1.1",
    "1.1.1.1, 2.2.2.2",
    "garbage",
    "10.0.0.1",
    "127.0.0.1",
    "::1",
    ", , ,",
    "a,".repeat(5_000),
  ];
  for (const trust of ["1", "10.0.0.0/8", "10.0.0.1,loopback"]) {
    const seen = sent.map((text) =>
      identify({ trust, socket: "10.0.0.1", forwarded: `${text}, 198.51.100.1`, client: "" }),
    );
    expect(new Set(seen)).toEqual(new Set(["198.51.100.1"]));
  }
});

test.each([
  ...[
    "true",
    "TRUE",
    "yes",
    "-1",
    "1.5",
    "1e1",
    "17",
    "99999999999999999999",
    "10.0.0.1,,10.0.0.2",
    ",",
    "10.0.0.1,2",
  ],
  ...[
    "localhost",
    "proxy.example",
    "10.0.0.0/0",
    "10.0.0.0/33",
    "10.0.0.0/8/8",
    "10.0.0.0/",
    "10.0.0.0/255.0.255.0",
  ],
  ...[
    "::/0",
    "::1/129",
    "fe80::1%eth0",
    "0x7f.1",
    "010.0.0.1",
    "Loopback",
    "all",
    "*",
    "__proto__",
    "10.0.0.1 10.0.0.2",
  ],
])("TRUST_PROXY=%s is refused by name", (value) => {
  expect(() => compileTrust(value)).toThrow(/TRUST_PROXY/);
});

test.each([
  undefined,
  "",
  " ",
  "0",
  "false",
  "1",
  "16",
  " 2 ",
  "loopback",
  "10.0.0.1",
  "2001:db8::/32, 10.0.0.0/8",
  "::1",
])("TRUST_PROXY=%s is accepted", (value) => {
  expect(() => compileTrust(value)).not.toThrow();
});

test("the peer is trusted by its own address only, and never without one", () => {
  const isTrustedPeer = compileTrust("loopback");
  expect(isPeerTrusted("::ffff:127.0.0.1", isTrustedPeer)).toBe(true);
  expect(isPeerTrusted("::1", isTrustedPeer)).toBe(true);
  expect(isPeerTrusted("203.0.113.7", isTrustedPeer)).toBe(false);
  expect(isPeerTrusted(undefined, compileTrust("1"))).toBe(false);
  expect(isPeerTrusted("203.0.113.7", compileTrust("1"))).toBe(true);
  expect(isPeerTrusted("127.0.0.1", compileTrust(undefined))).toBe(false);
});

test.each([
  { hostHeader: "a.example", forwardedHost: "evil.example", peerTrusted: false, host: "a.example" },
  { hostHeader: "inner:3000", forwardedHost: "a.example", peerTrusted: true, host: "a.example" },
  {
    hostHeader: "inner:3000",
    forwardedHost: "evil.example, a.example:8443",
    peerTrusted: true,
    host: "a.example:8443",
  },
  {
    hostHeader: "inner:3000",
    forwardedHost: "evil.example,a.example , ",
    peerTrusted: true,
    host: "a.example",
  },
  { hostHeader: "a.example", forwardedHost: " , ", peerTrusted: true, host: "a.example" },
  { hostHeader: "a.example", forwardedHost: undefined, peerTrusted: true, host: "a.example" },
  { hostHeader: " a.example ", forwardedHost: undefined, peerTrusted: false, host: "a.example" },
  { hostHeader: "inner", forwardedHost: "\u00a0a.example", peerTrusted: true, host: "\u00a0a.example" },
  { hostHeader: "A.Example:80", forwardedHost: "", peerTrusted: true, host: "A.Example:80" },
  { hostHeader: undefined, forwardedHost: "a.example", peerTrusted: false, host: null },
  { hostHeader: "", forwardedHost: undefined, peerTrusted: true, host: null },
])(
  "Host $hostHeader, X-Forwarded-Host $forwardedHost, trusted $peerTrusted gives the host $host",
  ({ hostHeader, forwardedHost, peerTrusted, host }) => {
    expect(requestHost(hostHeader, peerTrusted ? forwardedHost : undefined)).toBe(host);
  },
);
