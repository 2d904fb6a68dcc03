// Defaults that the demo needs before TypeScript can be read. Their rows in serving.settings.ts take them from here.
export const defaultPort = 3000;
export const defaultDataDir = "data";
