import { randomBytes } from "node:crypto";
import { toHttp } from "./costs/operation";
import type { Operation, Prepare, Target } from "./costs/operation";
import type { Aims } from "./figures";

/** What somebody else can answer by sending the same bytes: pages, and documents about the service. */
export type FixedRequest = {
  name: string;
  slug: string;
  path: string;
  headers: (visitor: Visitor) => Record<string, string>;
  holds: string;
  requests: number;
  warmUpRequests: number;
  aims?: Aims;
};
type Visitor = Pick<Target, "accessToken" | "operatorCookie">;
/** `isSignedIn`: sent to clients with a cookie, which may get another page. */
export type FixedAnswer = { path: string; isSignedIn: boolean; type: string; body: string };

export const metricsToken = randomBytes(24).toString("hex");

const page = {
  headers: () => ({ Accept: "text/html", "Accept-Encoding": "identity" }),
  holds: "</html>",
  requests: 200,
  warmUpRequests: 600,
};
/** Sent as it is kept; so many that their CPU time can be told apart. */
const sharedPage = {
  ...page,
  requests: 3000,
  warmUpRequests: 3000,
  aims: { maxTimes: { side: "Fastify", times: 2 } },
};
const small = { headers: () => ({}), requests: 1500, warmUpRequests: 3000 };

const pageRequests: readonly FixedRequest[] = [
  { ...sharedPage, name: "GET /, the page", slug: "landing", path: "/" },
  { ...sharedPage, name: "GET /gate, the page", slug: "gate-page", path: "/gate" },
  {
    ...page,
    name: "GET /gate, signed in: the room",
    slug: "room",
    path: "/gate",
    headers: (target) => ({ ...page.headers(), ...sessionCookie(target.accessToken) }),
    holds: "You are in",
    aims: { maxCpuMicros: 2250 },
  },
  { ...sharedPage, name: "GET /chat, the page", slug: "chat-page", path: "/chat" },
  {
    ...sharedPage,
    name: "GET /docs, the page",
    slug: "docs-page",
    path: "/docs",
    requests: 1000,
    warmUpRequests: 1000,
  },
  {
    ...sharedPage,
    name: "GET /problems/{slug}, the page",
    slug: "problem-page",
    path: "/problems/this-token-has-already-been-used",
  },
  { ...small, name: "GET /api/openapi", slug: "openapi", path: "/api/openapi", holds: '"3.0.3"' },
  { ...small, name: "GET /api/settings", slug: "settings", path: "/api/settings", holds: '"chainId":' },
  {
    ...small,
    name: "GET /healthz",
    slug: "healthz",
    path: "/healthz",
    holds: "alive",
    // Compiled early in the run, so short a request differs most from round to round.
    requests: 10_000,
    warmUpRequests: 20_000,
    aims: { maxTimes: { side: "Fastify", times: 2 } },
  },
  { ...small, name: "GET /readyz", slug: "readyz", path: "/readyz", holds: '"status":"ready"' },
  {
    ...small,
    name: "GET /metrics",
    slug: "metrics",
    path: "/metrics",
    holds: "# HELP",
    requests: 500,
    warmUpRequests: 1000,
    headers: () => ({ Authorization: `Bearer ${metricsToken}` }),
  },
];

/** So many forms were sent before the operator looks; no more than one page shows, and all of them in the file. */
export const operatorForms = 100;
export const formMessage = "I would like to see the room.";
const asOperator = {
  requests: 100,
  warmUpRequests: 300,
  holds: formMessage,
  headers: ({ operatorCookie }: Visitor) => ({ ...page.headers(), Cookie: operatorCookie }),
};

const operatorRequests: readonly FixedRequest[] = [
  {
    ...asOperator,
    name: "GET /operator/submissions, the table",
    slug: "operator-table",
    path: "/operator/submissions",
  },
  {
    ...asOperator,
    name: "GET /operator/export/submissions, CSV",
    slug: "operator-export",
    path: "/operator/export/submissions",
  },
];

export const fixedRequests = [...operatorRequests, ...pageRequests];

export function sessionCookie(accessToken: string): { Cookie: string } {
  return { Cookie: `access_token=${accessToken}` };
}

function prepare({ path, headers, holds }: FixedRequest): Prepare {
  return async ({ target, requests }) => ({
    requests: [toHttp({ target, method: "GET", path, headers: headers(target) })],
    repeat: requests,
    expected: { holds },
  });
}

function toOperation(request: FixedRequest): Operation {
  const { name, slug, requests, warmUpRequests, aims = {} } = request;
  const sides = { Latchkey: prepare(request), Fastify: prepare(request) };
  return { name, slug, requests, warmUpRequests, aims, sides };
}

export const operatorOperations = operatorRequests.map(toOperation);
export const fixedOperations = pageRequests.map(toOperation);

/** What the real server answers to each of them. */
export async function readFixedAnswers({
  origin,
  ...visitor
}: Visitor & { origin: string }): Promise<FixedAnswer[]> {
  const answers: FixedAnswer[] = [];
  for (const { path, headers, holds } of fixedRequests) {
    const sent = headers(visitor);
    const answer = await fetch(`${origin}${path}`, { headers: sent });
    const body = await answer.text();
    if (answer.status !== 200 || !body.includes(holds))
      throw new Error(`${path} answered ${answer.status}, without ${holds}: ${body.slice(0, 500)}`);
    const type = answer.headers.get("content-type") ?? "text/plain";
    answers.push({ path, isSignedIn: "Cookie" in sent, type, body });
  }
  return answers;
}
