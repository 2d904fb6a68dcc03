const cachePrefix = "latchkey-offline-";

type OfflineWorkerOptions = {
  /** Has to change with anything that is cached. */
  version: string;
  page: string;
  files: readonly string[];
};

/**
 * Caches one page and its files, and uses them only if the network failed. So a deploy can't leave a page behind, and
 * no API response or signed-in page is ever cached.
 */
export function writeOfflineWorker({ version, page, files }: OfflineWorkerOptions): string {
  return `"use strict";
const cacheName = ${JSON.stringify(cachePrefix + version)};
const page = ${JSON.stringify(page)};
const files = ${JSON.stringify(files)};

async function fill() {
  const cache = await caches.open(cacheName);
  await Promise.all([page, ...files].map(async (address) => {
    // Without cookies: only the anonymous response may be cached.
    const request = new Request(address, { cache: "reload", credentials: "omit", redirect: "error" });
    const response = await fetch(request);
    if (!response.ok) throw new Error(address + " has status " + response.status);
    await cache.put(address, response);
  }));
  await skipWaiting();
}

async function takeOver() {
  const old = (await caches.keys()).filter((name) => name.startsWith(${JSON.stringify(cachePrefix)}) && name !== cacheName);
  await Promise.all(old.map((name) => caches.delete(name)));
  // Pages load while the worker is still starting.
  await registration.navigationPreload?.enable();
  await clients.claim();
}

async function visit(event) {
  try {
    return (await event.preloadResponse) ?? (await fetch(event.request));
  } catch {
    return (await find(page)) ?? Response.error();
  }
}

async function load(request, address) {
  try {
    return await fetch(request);
  } catch (error) {
    const kept = await find(address);
    if (kept) return kept;
    throw error;
  }
}

async function find(address) {
  return (await caches.open(cacheName)).match(address);
}

addEventListener("install", (event) => event.waitUntil(fill()));
addEventListener("activate", (event) => event.waitUntil(takeOver()));
addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin) return;
  const address = url.pathname + url.search;
  if (request.mode === "navigate") {
    if (request.destination === "document") event.respondWith(visit(event));
  } else if (files.includes(address)) event.respondWith(load(request, address));
});
`;
}

export function writeRetiringWorker(): string {
  return `"use strict";
async function retire() {
  const own = (await caches.keys()).filter((name) => name.startsWith(${JSON.stringify(cachePrefix)}));
  await Promise.all(own.map((name) => caches.delete(name)));
  await registration.unregister();
}
addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(retire()));
`;
}
