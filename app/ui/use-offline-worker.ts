import { useEffect } from "react";

/** Installs the offline page, or removes it where the operator wants none, once all else has loaded. */
export function useOfflineWorker({ isWanted }: { isWanted: boolean }): void {
  useEffect(() => {
    // Browsers have no workers on plain HTTP, and some have none in private windows.
    const workers = navigator.serviceWorker as ServiceWorkerContainer | undefined;
    if (!workers) return;
    const settle = () => void (isWanted ? keep(workers) : takeBack(workers));
    if (document.readyState === "complete") return settle();
    window.addEventListener("load", settle, { once: true });
    return () => window.removeEventListener("load", settle);
  }, [isWanted]);
}

/** Where the browser refuses or the connection fails, the page works without it, and the next visit tries again. */
async function keep(workers: ServiceWorkerContainer): Promise<void> {
  await workers.register("/sw.js", { updateViaCache: "none" }).catch(() => undefined);
}

async function takeBack(workers: ServiceWorkerContainer): Promise<void> {
  const registrations = await workers.getRegistrations().catch(() => []);
  // The worker's new text deletes what the old one kept; asking for it now spares waiting for the next visit.
  await Promise.all(registrations.map((registration) => registration.update().catch(() => undefined)));
}
