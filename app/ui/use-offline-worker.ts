import { useEffect } from "react";

/** Installs or removes the offline page after everything else has loaded. */
export function useOfflineWorker({ isWanted }: { isWanted: boolean }): void {
  useEffect(() => {
    // Missing on plain HTTP, and in some private windows.
    const workers = navigator.serviceWorker as ServiceWorkerContainer | undefined;
    if (!workers) return;
    const settle = () => void (isWanted ? keep(workers) : takeBack(workers));
    if (document.readyState === "complete") return settle();
    window.addEventListener("load", settle, { once: true });
    return () => window.removeEventListener("load", settle);
  }, [isWanted]);
}

/** The next visit retries. */
async function keep(workers: ServiceWorkerContainer): Promise<void> {
  await workers.register("/sw.js", { updateViaCache: "none" }).catch(() => undefined);
}

async function takeBack(workers: ServiceWorkerContainer): Promise<void> {
  const registrations = await workers.getRegistrations().catch(() => []);
  // The worker's new script deletes the old one's files.
  await Promise.all(registrations.map((registration) => registration.update().catch(() => undefined)));
}
