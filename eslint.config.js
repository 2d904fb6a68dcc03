import { readdirSync } from "node:fs";
import { builtinModules } from "node:module";
import js from "@eslint/js";
import { createTypeScriptImportResolver } from "eslint-import-resolver-typescript";
import importX from "eslint-plugin-import-x";
import jsxA11y from "eslint-plugin-jsx-a11y";
import reactHooks from "eslint-plugin-react-hooks";
import tseslint from "typescript-eslint";

const notFeatures = /\.|^(api-client|commands|generated|platform|routes|services|ui)$/;
const features = readdirSync(new URL("app", import.meta.url)).filter((name) => !notFeatures.test(name));
const inBrowser = "This file may run in the browser. Move the call to a .server.ts use-case or a route.";

/** Gate's rooms, a step each: a room imports from its own step and those below. */
const gateSteps = ["kinds", "ownership", "transfers tokens", "proofs", "admission", "session form", "page"];

/** Each zone names a place, what it must not reach for, and where the code belongs instead. */
const zones = [
  {
    target: "./app/platform",
    from: [
      "./app/routes",
      "./app/ui",
      ...features.map((name) => `./app/${name}`),
      "./app/services",
      "./app/services.server.ts",
      "./app/settings.server.ts",
    ],
    message:
      "The platform knows no feature. Pass what you need as an argument, or move the code into the feature.",
  },
  {
    target: "./app/ui",
    from: ["./app/routes", "./app/platform", ...features.map((name) => `./app/${name}`)],
    message: "ui/ holds components that know no feature. Move this into the feature's page/ folder.",
  },
  ...gateSteps.slice(0, -1).flatMap((rooms, step) =>
    rooms.split(" ").map((room) => ({
      target: `./app/gate/${room}/**/!(*.test).{ts,tsx}`,
      from: gateSteps
        .slice(step)
        .flatMap((others) => others.split(" "))
        .filter((other) => other !== room)
        .map((other) => `./app/gate/${other}`),
      message: "Gate's rooms are a staircase. Take what you need as an argument, or move it to a step below.",
    })),
  ),
  ...features.map((name) => ({
    target: `./app/${name}`,
    from: ["./app/routes", "./app/services", "./app/services.server.ts", "./app/settings.server.ts"],
    message:
      "A feature receives what it needs as arguments; services.server.ts passes them to its create-*.server.ts.",
  })),
  {
    target: ["./app/routes", "./app/ui", ...features.map((name) => `./app/${name}/page`)],
    from: ["./app/platform/database", "./app/platform/redis", "./app/generated"],
    message:
      "Only *.store.server.ts files talk to the database. Add a store function and call it from a use-case.",
  },
  {
    target: "./app/routes",
    from: ["./app/**/*.store.server.ts", "./app/**/*.gateway.server.ts"],
    message:
      "A route calls one function of getServices(). Stores and gateways are opened by the feature's create-*.server.ts and used by use-cases.",
  },
  ...features.map((name) => ({
    target: `./app/${name}`,
    from: [`./app/{${features.filter((other) => other !== name).join(",")}}/**/*.store.server.ts`],
    message:
      "A store belongs to its feature alone. Take a function of that feature's use-case as an argument; services.server.ts passes it.",
  })),
  {
    // What `import("…")` reaches, which the patterns below do not see.
    target: `./app/{platform,ui,${features.join(",")}}/**/!(*.server|*.settings|*.test).{ts,tsx}`,
    from: ["./app/**/*.server.{ts,tsx}", "./app/**/*.settings.ts"],
    message: inBrowser,
  },
];

/** What kinds of file must not import. The rule knows one list a file, so each block below names all of its own. */
const restricted = {
  insides: {
    regex: "^(?!highlight\\.js/)(@[^/]+/)?[^./~][^/]*/(.+/)?(dist|lib|runtime)(/|$)",
    message: "Import what the package documents: its insides change without notice.",
  },
  environment: {
    group: ["process", "node:process"],
    message: "Only platform/config reads the environment. Take the value as an argument.",
  },
  drivers: {
    group: ["@libsql/*", "libsql", "libsql/*", "pg", "pg/*", "@prisma/*", "ioredis"],
    message:
      "Drivers belong in *.store.server.ts, platform/database and platform/redis. Add a store function and call it from a use-case.",
  },
  database: {
    group: ["**/generated/**", "**/platform/database/database.server", "**/platform/redis/redis.server"],
    message:
      "Only *.store.server.ts, platform/database, platform/redis and services may reach the database or Redis; a feature's create-*.server.ts hands it to its stores.",
  },
  server: { group: ["**/*.server", "**/*.settings"], message: inBrowser },
  node: {
    group: ["node:*", ...builtinModules.map((name) => `/${name}`)],
    message: "This file may run in the browser. Node modules belong in .server.ts files.",
  },
};

function restrictImports(...names) {
  return ["error", { patterns: ["insides", ...names].map((name) => restricted[name]) }];
}

const castToAny = {
  selector: "TSAsExpression > TSAnyKeyword",
  message: "Narrow the type instead of casting to any.",
};
const castThroughUnknown = {
  selector: "TSAsExpression > TSAsExpression > TSUnknownKeyword",
  message:
    "Narrow the type. If a package's types leave no other way, disable this rule for the line and say why.",
};
/** `process.env` itself is a restricted property; these are the other ways to it. */
const environment = [
  "MemberExpression[object.name=/^(globalThis|global)$/]:matches([property.name='process'], [property.value='process'])",
  "VariableDeclarator[init.name=/^(globalThis|global)$/] Property[key.name='process']",
  "VariableDeclarator[init.name='process'] > Identifier.id",
  "ImportExpression[source.value=/^(node:)?process$/]",
].map((selector) => ({ selector, message: restricted.environment.message }));
const textAsCode = [
  "MemberExpression[property.name=/^\\$(query|execute)RawUnsafe$/]",
  "MemberExpression[property.value=/^\\$(query|execute)RawUnsafe$/]",
  "Property[key.name=/^\\$(query|execute)RawUnsafe$/]",
  "MemberExpression[object.name='Prisma'][property.name='raw']",
  "CallExpression[callee.name='eval']",
  "MemberExpression[object.name=/^(globalThis|window|global)$/][property.name='eval']",
  ":matches(CallExpression, NewExpression)[callee.name='Function']",
].map((selector) => ({
  selector,
  message: "Text never becomes a statement or code. Write a tagged statement with parameters.",
}));
const signatures = [
  {
    selector:
      ":not(TSTypeAliasDeclaration, TSIntersectionType, TSUnionType) > TSTypeLiteral[members.length>4]",
    message: "Give a type of more than four members a name.",
  },
  {
    selector: "ObjectExpression > SpreadElement > ObjectExpression",
    message: "Write the members themselves instead of spreading an object of them.",
  },
];
const inTheProgram = [castToAny, castThroughUnknown, ...environment, ...textAsCode, ...signatures];
/** A selector's pattern would end at a plain slash. */
const driversLater = {
  selector:
    "ImportExpression[source.value=/^(@libsql|libsql|pg|@prisma(?!\\u002finstrumentation)|ioredis)($|\\u002f)/]",
  message: restricted.drivers.message,
};
const mayOpenDatabases = ["**/*.store.server.ts", "app/platform/database/**", "app/platform/redis/**"];

export default tseslint.config(
  {
    ignores: [
      "build",
      "public/build",
      "app/generated",
      "prisma/.generated",
      "data",
      "app/demo/content",
      "content",
      "contracts/artifacts",
      "contracts/test-fixtures/*.json",
      "e2e/.results",
    ],
  },
  js.configs.recommended,
  ...tseslint.configs.recommended,
  {
    plugins: { "import-x": importX },
    settings: { "import-x/resolver-next": [createTypeScriptImportResolver({ project: "./tsconfig.json" })] },
    languageOptions: {
      globals: {
        process: "readonly",
        console: "readonly",
        Buffer: "readonly",
        URL: "readonly",
        fetch: "readonly",
        setTimeout: "readonly",
        clearTimeout: "readonly",
        setInterval: "readonly",
      },
    },
    rules: {
      "func-style": ["error", "declaration", { allowArrowFunctions: true }],
      "max-lines": ["error", { max: 300, skipBlankLines: false, skipComments: false }],
      "max-lines-per-function": ["error", { max: 80, skipBlankLines: true, skipComments: true }],
      "max-params": ["error", 3],
      "no-console": "error",
      "no-empty": ["error", { allowEmptyCatch: false }],
      "import-x/no-cycle": "error",
      "import-x/no-restricted-paths": ["error", { zones }],
      "import-x/no-default-export": "error",
      "@typescript-eslint/consistent-type-imports": ["error", { fixStyle: "separate-type-imports" }],
      "@typescript-eslint/consistent-type-definitions": ["error", "type"],
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      "no-restricted-properties": [
        "error",
        {
          object: "process",
          property: "env",
          message: "Only platform/config reads the environment. Take the value as an argument.",
        },
      ],
      "no-restricted-syntax": ["error", ...inTheProgram],
    },
  },
  {
    files: ["app/**/*.{ts,tsx}", "server.ts"],
    ignores: ["**/*.test.{ts,tsx}", "app/commands/**"],
    rules: { "no-restricted-imports": restrictImports("environment", "drivers", "database") },
  },
  {
    files: ["app/**/*.{ts,tsx}", "server.ts"],
    ignores: ["**/*.test.{ts,tsx}", "app/commands/**", ...mayOpenDatabases],
    rules: { "no-restricted-syntax": ["error", ...inTheProgram, driversLater] },
  },
  {
    files: mayOpenDatabases,
    rules: { "no-restricted-imports": restrictImports("environment") },
  },
  {
    files: ["app/services.server.ts", "app/services/*.server.ts", "app/**/create-*.server.ts"],
    rules: { "no-restricted-imports": restrictImports("environment", "drivers") },
  },
  {
    files: ["app/platform/config/*.server.ts"],
    rules: { "no-restricted-imports": restrictImports("drivers", "database") },
  },
  {
    // Pure files and components may run in the browser: nothing of the server may be reachable from them.
    files: ["app/**/*.{ts,tsx}"],
    ignores: [
      "**/*.server.{ts,tsx}",
      "**/*.settings.ts",
      "**/*.test.{ts,tsx}",
      "app/routes/**",
      "app/root.tsx",
      "app/commands/**",
    ],
    rules: {
      "no-restricted-imports": restrictImports("server", "node", "environment", "drivers", "database"),
    },
  },
  {
    files: ["**/*.{tsx,jsx}"],
    plugins: { "react-hooks": reactHooks, "jsx-a11y": jsxA11y },
    rules: { ...reactHooks.configs.recommended.rules, ...jsxA11y.configs.recommended.rules },
  },
  {
    // Called by a library, the framework or WebAssembly, which say what is passed; rows of tables in tests.
    files: [
      "app/entry.server.tsx",
      "server.ts",
      "app/chat/page/reply/markdown-blocks.ts",
      "app/content/submission-html.server.ts",
      "app/gate/proofs/signature.server.ts",
      "app/speech/flite/wasi-memory.mjs",
      "**/*.test.ts",
    ],
    rules: { "max-params": "off" },
  },
  {
    files: ["app/root.tsx", "app/entry.*.tsx", "app/routes/**", "*.config.{js,ts}"],
    rules: { "import-x/no-default-export": "off" },
  },
  {
    files: [
      "app/platform/config/**",
      "app/commands/**",
      "**/*.test.ts",
      "e2e/**",
      "prisma/**",
      "contracts/**",
      "docs/*.mjs",
      "*.config.{js,ts}",
    ],
    rules: {
      "no-restricted-properties": "off",
      "no-restricted-syntax": ["error", castToAny, ...signatures],
      "no-console": "off",
    },
  },
  {
    files: ["app/platform/config/**", "app/commands/**"],
    ignores: ["**/*.test.ts"],
    rules: { "no-restricted-syntax": ["error", castToAny, ...textAsCode, ...signatures] },
  },
  { files: ["**/*.test.{ts,tsx}", "e2e/**"], rules: { "max-lines": ["error", { max: 600 }] } },
  { files: ["**/*.{test,spec}.{ts,tsx}"], rules: { "max-lines-per-function": "off" } },
);
