import { afterEach, expect, test, vi } from "vitest";
import { openBase } from "./base-provider.client";
import { nameWalletError } from "./wallet-notices";

const keysOrigin = "https://keys.coinbase.com";

/** The parts of a browser that the wallet's code uses: storage, messages, and windows that may fail to open. */
function startBrowser() {
  const kept = new Map<string, string>();
  const messages = new EventTarget();
  const opened: { url: URL; posted: unknown[] }[] = [];
  vi.stubGlobal("localStorage", {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => void kept.set(name, value),
    removeItem: (name: string) => void kept.delete(name),
    key: (index: number) => [...kept.keys()][index] ?? null,
  });
  vi.stubGlobal("fetch", () => Promise.resolve(new Response(null)));
  vi.stubGlobal("window", {
    innerWidth: 1280,
    innerHeight: 800,
    screenX: 0,
    screenY: 0,
    location: new URL("https://gate.example/gate"),
    addEventListener: messages.addEventListener.bind(messages),
    removeEventListener: messages.removeEventListener.bind(messages),
    open: (url: URL) => {
      const posted: unknown[] = [];
      opened.push({ url: new URL(url), posted });
      return {
        closed: false,
        focus: () => {},
        close: () => {},
        postMessage: (message: unknown) => posted.push(message),
      };
    },
  });
  return {
    opened,
    tell: (data: unknown, origin = keysOrigin) =>
      messages.dispatchEvent(Object.assign(new Event("message"), { data, origin })),
  };
}

afterEach(() => vi.unstubAllGlobals());

test("no window opens before the person has agreed, and no request can be sent", async () => {
  const { opened } = startBrowser();
  const provider = openBase("Salon Nord", [8453, 1]);
  for (const method of ["eth_accounts", "personal_sign"]) {
    const fault = await provider.request({ method }).catch((error: unknown) => error);
    expect(nameWalletError(fault), method).toBe("locked");
  }
  expect(opened).toEqual([]);
});

test("connecting opens one window with the site's name, its chains, and no relay", async () => {
  const { opened, tell } = startBrowser();
  const provider = openBase("Salon Nord", [8453, 1]);
  const connecting = provider.request({ method: "eth_requestAccounts" }).catch((error: unknown) => error);
  await expect.poll(() => opened.length).toBe(1);
  expect(opened[0]?.url.origin).toBe(keysOrigin);
  expect(opened[0]?.url.searchParams.get("origin")).toBe("https://gate.example");
  // The same message from another site's window changes nothing.
  tell({ event: "PopupLoaded", id: "1" }, "https://evil.example");
  tell({ event: "PopupLoaded", id: "1" });
  await expect
    .poll(() => opened[0]?.posted[0])
    .toMatchObject({
      data: {
        metadata: { appName: "Salon Nord", appChainIds: [8453, 1] },
        preference: { options: "smartWalletOnly" },
      },
    });
  // The person closes the window instead of agreeing.
  await expect.poll(() => opened[0]?.posted.length).toBe(2);
  tell({ event: "PopupUnload" });
  expect(nameWalletError(await connecting)).toBe("rejected");
  expect(opened).toHaveLength(1);
});
