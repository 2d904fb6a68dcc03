import { expect, test } from "vitest";
import { createPairedProvider } from "./wallet-connect-provider.client";
import { nameWalletError } from "./wallet-notices";

type PairingClient = Parameters<typeof createPairedProvider>[0];

type Session = ReturnType<PairingClient["session"]["getAll"]>[number];
type Listener = (event: unknown) => void;

const ada = "0xAda0000000000000000000000000000000000001";
const bob = "0xB0b0000000000000000000000000000000000002";

function sessionOf(topic: string, ...accounts: string[]): Session {
  return { topic, namespaces: { eip155: { accounts, methods: [], events: [] } } } as unknown as Session;
}

/** A sign client with the test as relay and wallet. It keeps sessions and sends the given events. */
function startClient(...kept: Session[]) {
  const sessions = new Map(kept.map((session) => [session.topic, session]));
  const listeners = new Map<string, Set<Listener>>();
  const calls: { name: string; request: unknown }[] = [];
  let approve = (_session: Session) => {};
  let refuse = (_error: unknown) => {};
  const approval = new Promise<Session>((resolve, reject) => ([approve, refuse] = [resolve, reject]));
  let answer: () => Promise<unknown> = () => Promise.resolve("0xsigned");
  const client = {
    session: { getAll: () => [...sessions.values()], get: (topic: string) => sessions.get(topic)! },
    on: (event: string, listener: Listener) =>
      void listeners.set(event, (listeners.get(event) ?? new Set()).add(listener)),
    connect: (request: unknown) => {
      calls.push({ name: "connect", request });
      return Promise.resolve({ uri: "wc:topic@2?relay-protocol=irn", approval: () => approval });
    },
    request: (request: unknown) => {
      calls.push({ name: "request", request });
      return answer();
    },
    disconnect: (request: { topic: string }) => {
      calls.push({ name: "disconnect", request });
      sessions.delete(request.topic);
      return Promise.resolve();
    },
  } as unknown as PairingClient;
  return {
    client,
    calls,
    approve(session: Session) {
      sessions.set(session.topic, session);
      approve(session);
    },
    refuse: (error: unknown) => refuse(error),
    put: (session: Session) => void sessions.set(session.topic, session),
    answerWith: (next: () => Promise<unknown>) => void (answer = next),
    tell(event: string, detail: unknown) {
      for (const listener of listeners.get(event) ?? []) listener(detail);
    },
  };
}

function open(wallet: ReturnType<typeof startClient>, ...others: number[]) {
  const pairings: string[] = [];
  const heard: [event: string, value: unknown][] = [];
  const provider = createPairedProvider(wallet.client, {
    chainIds: [31337, ...others],
    onPairing: (uri) => pairings.push(uri),
  });
  provider.on("chainChanged", (chainId: unknown) => heard.push(["chainChanged", chainId]));
  provider.on("accountsChanged", (accounts: unknown) => heard.push(["accountsChanged", accounts]));
  provider.on("disconnect", (error: unknown) => heard.push(["disconnect", nameWalletError(error)]));
  return { provider, pairings, heard };
}

const ask = (method: string, params?: unknown[]) => ({ method, ...(params ? { params } : {}) });

test("a pairing shows its address, waits for the person, and then has the accounts of this chain", async () => {
  const wallet = startClient();
  const { provider, pairings } = open(wallet);
  expect(await provider.request(ask("eth_accounts"))).toEqual([]);
  expect(wallet.calls).toEqual([]);
  const pairing = provider.request(ask("eth_requestAccounts"));
  await expect.poll(() => pairings).toEqual(["wc:topic@2?relay-protocol=irn"]);
  wallet.approve(sessionOf("one", `eip155:1:${bob}`, `eip155:31337:${ada}`));
  expect(await pairing).toEqual([ada]);
  expect(wallet.calls).toEqual([
    {
      name: "connect",
      request: {
        optionalNamespaces: { eip155: expect.objectContaining({ chains: ["eip155:31337"] }) },
      },
    },
  ]);
  expect(await provider.request(ask("eth_accounts"))).toEqual([ada]);
  expect(await provider.request(ask("eth_chainId"))).toBe("0x7a69");
  // Once is enough.
  expect(await provider.request(ask("eth_requestAccounts"))).toEqual([ada]);
  expect(pairings).toHaveLength(1);
});

test("a saved session is used again, unless it is of another chain", async () => {
  const known = open(startClient(sessionOf("old", `eip155:31337:${ada}`)));
  expect(await known.provider.request(ask("eth_requestAccounts"))).toEqual([ada]);
  expect(known.pairings).toEqual([]);
  const foreign = startClient(sessionOf("old", `eip155:1:${ada}`));
  expect(await open(foreign).provider.request(ask("eth_accounts"))).toEqual([]);
});

test("a person's refusal rejects the pairing, which may be asked for again", async () => {
  const wallet = startClient();
  const { provider } = open(wallet);
  const pairing = provider.request(ask("eth_requestAccounts"));
  wallet.refuse(Object.assign(new Error("User rejected."), { code: 5000 }));
  expect(nameWalletError(await pairing.catch((error: unknown) => error))).toBe("rejected");
  expect(await provider.request(ask("eth_accounts"))).toEqual([]);
});

test("a relay that fails is reported as unreachable", async () => {
  const wallet = startClient();
  wallet.client.connect = () => Promise.reject(new Error("socket hang up"));
  const fault = await open(wallet)
    .provider.request(ask("eth_requestAccounts"))
    .catch((error: unknown) => error);
  expect(nameWalletError(fault)).toBe("relay-unreachable");
});

test("signing and sending go to the paired wallet on this chain, and its refusal comes back", async () => {
  const wallet = startClient(sessionOf("one", `eip155:31337:${ada}`));
  const { provider } = open(wallet);
  const request = ask("personal_sign", ["0x4869", ada]);
  expect(await provider.request(request)).toBe("0xsigned");
  expect(wallet.calls).toEqual([
    { name: "request", request: { topic: "one", chainId: "eip155:31337", request } },
  ]);
  wallet.answerWith(() => Promise.reject(Object.assign(new Error("No."), { code: 5000 })));
  const refused = await provider.request(request).catch((error: unknown) => error);
  expect(nameWalletError(refused)).toBe("rejected");
  // A remote wallet does not get requests that only read the chain.
  const read = await provider.request(ask("eth_call", [])).catch((error: unknown) => error);
  expect(nameWalletError(read)).toBe("unsupported");
});

test("signing fails without a pairing", async () => {
  const wallet = startClient();
  const fault = await open(wallet)
    .provider.request(ask("personal_sign", ["0x", ada]))
    .catch((error: unknown) => error);
  expect(nameWalletError(fault)).toBe("gone");
  expect(wallet.calls).toEqual([]);
});

for (const event of ["session_delete", "session_expire"]) {
  test(`${event} of this session ends the connection, of another one changes nothing`, async () => {
    const wallet = startClient(sessionOf("one", `eip155:31337:${ada}`));
    const { provider, heard } = open(wallet);
    wallet.tell(event, { topic: "another" });
    expect(heard).toEqual([]);
    expect(await provider.request(ask("eth_accounts"))).toEqual([ada]);
    wallet.tell(event, { topic: "one" });
    expect(heard).toEqual([["disconnect", "gone"]]);
    expect(await provider.request(ask("eth_accounts"))).toEqual([]);
    wallet.tell(event, { topic: "one" });
    expect(heard).toHaveLength(1);
  });
}

test("a session that changes announces its present accounts", async () => {
  const wallet = startClient(sessionOf("one", `eip155:31337:${ada}`));
  const { provider, heard } = open(wallet);
  wallet.put(sessionOf("one", `eip155:31337:${bob}`, `eip155:1:${ada}`));
  wallet.tell("session_update", { topic: "another" });
  expect(heard).toEqual([]);
  wallet.tell("session_update", { topic: "one" });
  expect(heard).toEqual([["accountsChanged", [bob]]]);
  expect(await provider.request(ask("eth_accounts"))).toEqual([bob]);
});

test("another account selected in the wallet comes first, if this site was let see it", async () => {
  const wallet = startClient(sessionOf("one", `eip155:31337:${ada}`, `eip155:31337:${bob}`));
  const { provider, heard } = open(wallet);
  const select = ({ topic = "one", chainId = "eip155:31337", data }: Record<string, unknown>) =>
    wallet.tell("session_event", { topic, params: { chainId, event: { name: "accountsChanged", data } } });
  select({ data: [bob], topic: "another" });
  select({ data: [bob], chainId: "eip155:1" });
  wallet.tell("session_event", {
    topic: "one",
    params: { chainId: "eip155:31337", event: { name: "chainChanged", data: 1 } },
  });
  expect(heard).toEqual([]);
  select({ data: [`eip155:31337:${bob.toLowerCase()}`] });
  select({ data: [ada] });
  select({ data: ["0xstranger"] });
  select({ data: "nonsense" });
  expect(heard.map(([, accounts]) => accounts)).toEqual([
    [bob, ada],
    [ada, bob],
    [ada, bob],
    [ada, bob],
  ]);
  select({ data: [bob] });
  expect(await provider.request(ask("eth_accounts"))).toEqual([bob, ada]);
});

test("disconnecting ends the session at the wallet too, once", async () => {
  const wallet = startClient(sessionOf("one", `eip155:31337:${ada}`));
  const { provider } = open(wallet);
  await provider.request(ask("wallet_revokePermissions"));
  await provider.request(ask("wallet_revokePermissions"));
  expect(wallet.calls).toEqual([
    { name: "disconnect", request: { topic: "one", reason: { code: 6000, message: expect.any(String) } } },
  ]);
  expect(await provider.request(ask("eth_accounts"))).toEqual([]);
});

const switchTo = (chainId: number) =>
  ask("wallet_switchEthereumChain", [{ chainId: `0x${chainId.toString(16)}` }]);

test("a pairing asks for the chains of all kinds, and a session that has two signs for the second", async () => {
  const wallet = startClient();
  const { provider, pairings, heard } = open(wallet, 8453);
  const pairing = provider.request(ask("eth_requestAccounts"));
  await expect.poll(() => pairings).toHaveLength(1);
  wallet.approve(sessionOf("one", `eip155:31337:${ada}`, `eip155:8453:${ada}`, `eip155:8453:${bob}`));
  expect(await pairing).toEqual([ada]);
  expect(wallet.calls[0]).toMatchObject({
    request: { optionalNamespaces: { eip155: { chains: ["eip155:31337", "eip155:8453"] } } },
  });
  expect(await provider.request(switchTo(8453))).toBe(null);
  expect(heard).toEqual([["chainChanged", "0x2105"]]);
  expect(await provider.request(ask("eth_chainId"))).toBe("0x2105");
  expect(await provider.request(ask("eth_accounts"))).toEqual([ada, bob]);
  const request = ask("personal_sign", ["0x4869", ada]);
  await provider.request(request);
  expect(wallet.calls[1]).toEqual({
    name: "request",
    request: { topic: "one", chainId: "eip155:8453", request },
  });
});

test.each([
  ["the wallet did not agree to", 8453],
  ["no kind of key is on", 10],
])("a chain that %s is not switched to", async (_, chainId) => {
  const wallet = startClient(sessionOf("one", `eip155:31337:${ada}`, `eip155:10:${ada}`));
  const { provider, heard } = open(wallet, 8453);
  const fault = await provider.request(switchTo(chainId)).catch((error: unknown) => error);
  expect(nameWalletError(fault)).toBe("unsupported");
  expect(heard).toEqual([]);
  expect(await provider.request(ask("eth_chainId"))).toBe("0x7a69");
});

test("a session with an account on the second chain alone is on that one", async () => {
  const { provider } = open(startClient(sessionOf("one", `eip155:8453:${ada}`)), 8453);
  expect(await provider.request(ask("eth_requestAccounts"))).toEqual([ada]);
  expect(await provider.request(ask("eth_chainId"))).toBe("0x2105");
});
