import { useEffect } from "react";

/**
 * Gives the visitor's device the offline page, or takes it back where the operator wants none. Waits until the page
 * has loaded, so that nothing of it competes with what the visitor came for.
 */
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

async function keep(workers: ServiceWorkerContainer): Promise<void> {
  try {
    await workers.register("/sw.js", { updateViaCache: "none" });
  } catch {
    // Refused by the browser or cut off on the way: the page works as it is, and the next visit tries again.
  }
}

async function takeBack(workers: ServiceWorkerContainer): Promise<void> {
  const registrations = await workers.getRegistrations().catch(() => []);
  // The worker's new text deletes what the old one kept; asking for it now spares waiting for the next visit.
  await Promise.all(registrations.map((registration) => registration.update().catch(() => undefined)));
}
