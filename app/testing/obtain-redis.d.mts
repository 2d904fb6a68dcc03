/** How to start it; null where there is none. */
export function findRedis(): { command: string; libraries: string } | null;
export function setup(): void;
