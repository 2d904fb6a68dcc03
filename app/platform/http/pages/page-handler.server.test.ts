import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { ServerBuild } from "@remix-run/node";
import { expect, onTestFinished, test } from "vitest";
import { createPageHandler } from "./page-handler.server";
import { WholePage } from "./whole-page.server";
import type { RequestContext } from "../request-context.server";

/** One page, whose drawing ends with a status or with an error. */
function buildOf(draw: () => Response): ServerBuild {
  const root = { id: "root", path: "", module: { default: () => null } };
  const page = { id: "page", path: "page", parentId: "root", module: { default: () => null } };
  return {
    entry: { module: { default: draw, handleError: () => undefined } },
    routes: { root, page },
    assets: { routes: { root, page }, entry: { module: "", imports: [] }, url: "", version: "1" },
    future: { v3_singleFetch: true },
    publicPath: "/",
    assetsBuildDirectory: "",
    isSpaMode: false,
  } as unknown as ServerBuild;
}

const context = {
  method: "GET",
  pathname: "/page",
  searchParams: new URLSearchParams(),
  headers: {},
  service: { origin: "https://gate.example" },
  isGone: false,
} as unknown as RequestContext;

async function fetchPage(draw: () => Response): Promise<Response> {
  const { answerPage } = createPageHandler(buildOf(draw), "production");
  const headers = { "x-common": "common", "x-own": "common" };
  const server = createServer(
    (request, response) => void answerPage({ context, request, response, headers }),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return await fetch(`http://127.0.0.1:${port}/page`);
}

async function ask(draw: () => Response): Promise<[number, string | null]> {
  const { status, headers } = await fetchPage(draw);
  return [status, headers.get("x-problem")];
}

test("a finished document arrives as it was drawn, with its status, common headers and each of its cookies", async () => {
  const plain = new Headers({ "Content-Type": "text/html", "X-Own": "yes" });
  const withCookies = new Headers(plain);
  for (const cookie of ["a=1", "b=2"]) withCookies.append("Set-Cookie", cookie);
  for (const headers of [plain, withCookies]) {
    const answer = await fetchPage(() => new WholePage("<p>Grüße</p>", { status: 400, headers }));
    const received = [answer.status, answer.headers.get("x-own"), answer.headers.getSetCookie()];
    expect(received).toEqual([400, "yes", headers.getSetCookie()]);
    expect(answer.headers.get("x-common")).toBe("common");
    expect(await answer.text()).toBe("<p>Grüße</p>");
  }
});

test("a page that failed names the refusal, be it drawn or not", async () => {
  const html = { "Content-Type": "text/html" };
  expect(await ask(() => new Response("Fine", { headers: html }))).toEqual([200, null]);
  const refused = [500, "internal-error"];
  expect(await ask(() => new Response("A gap", { status: 500, headers: html }))).toEqual(refused);
  const fail = () => {
    throw new Error("Not drawn");
  };
  expect(await ask(fail)).toEqual(refused);
});
