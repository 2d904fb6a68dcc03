// ES modules that start sooner from one file. CommonJS packages stay outside: in an ES module they have no `require`.
export const bundledPackages =
  /^(viem|wagmi|@wagmi|ox|abitype|@noble|@scure|@tanstack|zustand|mipd|eventemitter3|@adraffy|zod|@asteasolutions|jose|marked|@libsql\/(client|core|hrana-client)|@prisma\/adapter-libsql)(\/|$)/;

/** @type {import("@remix-run/dev").AppConfig} */
export default {
  appDirectory: "app",
  assetsBuildDirectory: "public/build",
  publicPath: "/build/",
  server: "./server.ts",
  serverBuildPath: "build/index.js",
  serverModuleFormat: "esm",
  serverPlatform: "node",
  serverDependenciesToBundle: [bundledPackages],
  // WalletConnect's client, loaded by those who choose it, is written for both sides.
  browserNodeBuiltinsPolyfill: { modules: { events: true } },
  ignoredRouteFiles: ["**/.*", "**/*.test.{ts,tsx}"],
  future: {
    v3_fetcherPersist: true,
    v3_relativeSplatPath: true,
    v3_throwAbortReason: true,
    v3_singleFetch: true,
    v3_lazyRouteDiscovery: false,
  },
};
