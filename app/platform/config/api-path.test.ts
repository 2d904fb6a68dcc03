import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { problemsInProduction } from "~e2e/support/config";
import { isTakenPath } from "./api-path";

const names = ["NEXT_PUBLIC_AI_CHAT_API_PATH", "MCP_ENDPOINT"] as const;

/** Turns `api.token-status.$tokenId.ts` into a path with example parameters. */
function pathOfRouteFile(file: string): string {
  const segments = file
    .replace(/\.tsx?$/, "")
    .replaceAll("[.]", "\0")
    .split(".")
    .map((segment) => (segment.startsWith("$") ? "any" : segment.replaceAll("\0", ".")));
  return `/${segments.join("/")}`;
}

test("every route and every public file of the service counts as taken", () => {
  // The front page has no path, and the other two catch unknown ones.
  const catchAll = ["_index.tsx", "$.tsx", "api.$.ts"];
  const routes = readdirSync("app/routes").filter(
    (file) => /\.tsx?$/.test(file) && !file.includes(".test.") && !catchAll.includes(file),
  );
  expect(routes.length).toBeGreaterThan(15);
  const taken = [...routes.map(pathOfRouteFile), ...readdirSync("public").map((file) => `/${file}`)];
  expect(taken).toContain("/api/token-status/any");
  expect(taken.filter((path) => !isTakenPath(path))).toEqual([]);
});

test.each(names)("%s may not be a path that is already taken", (name) => {
  for (const taken of [
    "/api/gate-access",
    "/API/Gate-Access",
    "/gate",
    "/gate.data",
    "/_root.data",
    "/api/tts",
    "/api/token-status/7",
    "/media/7/song.mp3",
    "/build/entry.js",
    "/demo/rpc",
    "/metrics",
    "/robots.txt",
  ]) {
    expect(problemsInProduction({ [name]: taken }), taken).toEqual([
      expect.stringMatching(`^${name} names an address`) as string,
    ]);
  }
  for (const free of ["/talk", "/api/talk", "/gate-access", "/api/gate-access/2", "/mediathek", "/mcp"]) {
    expect(problemsInProduction({ [name]: free }), free).toEqual([]);
  }
});

test("each of the two may be its own route, neither the other's, nor both the same third one", () => {
  const [chat, mcp] = names;
  expect(problemsInProduction({ [chat]: "/api/chat", [mcp]: "/api/mcp" })).toEqual([]);
  expect(problemsInProduction({ [chat]: "/one", [mcp]: "/other" })).toEqual([]);
  expect(problemsInProduction({ [chat]: "/same", [mcp]: "/same" })).toEqual([
    "MCP_ENDPOINT must be another path than NEXT_PUBLIC_AI_CHAT_API_PATH.",
  ]);
  expect(problemsInProduction({ [mcp]: "/api/chat" })).toHaveLength(1);
  expect(problemsInProduction({ [chat]: "/talk", [mcp]: "/api/chat" })).toHaveLength(1);
  expect(problemsInProduction({ [chat]: "/api/mcp", [mcp]: "/tools" })).toHaveLength(1);
});
