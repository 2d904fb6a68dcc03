import { readdirSync, readFileSync } from "node:fs";
import { createRequestHandler } from "@remix-run/node";
import type { AppLoadContext, ServerBuild } from "@remix-run/node";
import { expect, test } from "vitest";
import remixConfig from "../../remix.config.js";

type Lockfile = { packages: Record<string, { version: string }> };

/** The first releases without the known vulnerabilities. */
const mended: Record<string, string> = {
  "react-router": "6.30.6",
  "react-router-dom": "6.30.6",
  "@remix-run/router": "1.23.4",
  "@remix-run/server-runtime": "2.17.5",
  "@remix-run/react": "2.17.5",
  "@remix-run/node": "2.17.5",
};

function isOlder(version: string, least: string): boolean {
  return version.localeCompare(least, "en", { numeric: true }) < 0;
}

test("the tree has no router older than the fixed releases", () => {
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as Lockfile;
  for (const [name, least] of Object.entries(mended)) {
    const found = Object.entries(packages).filter(([location]) => location.endsWith(`node_modules/${name}`));
    expect(found.length, name).toBeGreaterThan(0);
    const old = found.filter(([, { version }]) => isOlder(version, least));
    expect(old, name).toEqual([]);
  }
  expect([isOlder("6.30.4", "6.30.6"), isOlder("6.30.10", "6.30.6")]).toEqual([true, false]);
});

/** A page whose loader throws a stranger's input and shows it as text. */
function buildOf(thrown: Error): ServerBuild {
  const route = {
    id: "root",
    path: "",
    module: { default: () => null, loader: () => Promise.reject(thrown) },
  };
  return {
    assetsBuildDirectory: "",
    publicPath: "/",
    isSpaMode: false,
    basename: "/",
    future: remixConfig.future,
    assets: { entry: { imports: [], module: "" }, routes: {}, url: "", version: "1" },
    routes: { root: route },
    entry: {
      module: {
        handleError: () => undefined,
        default: async (
          _request: Request,
          status: number,
          headers: Headers,
          context: { serverHandoffString?: string; serverHandoffStream?: ReadableStream<Uint8Array> },
        ) => {
          const stream = new Response(context.serverHandoffStream ?? null);
          const text = `${context.serverHandoffString ?? ""}${await stream.text()}`;
          return new Response(text, { status, headers });
        },
      },
    },
  } as unknown as ServerBuild;
}

test("an error's own name and message do not reach the page that would rebuild it", async () => {
  const thrown = Object.assign(new Error("https://elsewhere.example/"), { name: "Image" });
  for (const path of ["/", "/_root.data"]) {
    const ask = (mode: string) =>
      createRequestHandler(buildOf(thrown), mode)(
        new Request(`https://gate.example${path}`),
        {} as AppLoadContext,
      );
    const text = await (await ask("production")).text();
    expect(text, path).toContain("Unexpected Server Error");
    expect(text, path).not.toMatch(/Image|elsewhere/);
    expect(await (await ask("development")).text(), path).toContain("elsewhere");
  }
});

test("the server only writes the framework's streams and reads none", () => {
  const written = readFileSync("node_modules/@remix-run/server-runtime/dist/single-fetch.js", "utf8");
  expect(written).toContain("turboStream.encode(");
  expect(written).not.toContain("turboStream.decode(");
});

/** A directive is alone on its line, in either kind of quotes. */
const serverDirective = /^\s*(["'])use server\1\s*;?\s*$/m;

test("React Server Components are not installed, and no module has their directives", () => {
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as Lockfile;
  expect(
    Object.keys(packages).filter((location) => /(?:^|\/)react-server-dom-[^/]*$/.test(location)),
  ).toEqual([]);
  const modules = readdirSync("app", { recursive: true, encoding: "utf8" }).filter((file) =>
    /\.(?:[cm]?[jt]s|[jt]sx)$/.test(file),
  );
  expect(modules.length).toBeGreaterThan(500);
  const found = modules.filter((file) => serverDirective.test(readFileSync(`app/${file}`, "utf8")));
  expect(found).toEqual([]);
  expect(
    ['"use server";\n', "async () => {\n  'use server'\n}"].every((text) => serverDirective.test(text)),
  ).toBe(true);
});
