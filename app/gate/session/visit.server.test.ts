import { expect, test } from "vitest";
import { Refusal, chainUnavailable } from "~/platform/refusals/refusal";
import { exampleContent } from "../admission/gate-examples";
import type { SignedIn } from "./session.schema";
import { readVisit } from "./visit.server";

type VisitDependencies = Parameters<typeof readVisit>[1];

const token = "aaa.bbb.ccc";
const session: SignedIn = {
  signedIn: true,
  tokenId: "7",
  address: "0x01",
  expiresAt: "2026-01-15T09:45:02.000Z",
  secondsLeft: 871,
  renewableUntil: "2026-01-16T09:30:00.000Z",
  isRenewable: true,
};

/** Records requests. Each dependency can be replaced. */
function createDependencies(parts: Partial<VisitDependencies> = {}) {
  const asked: string[] = [];
  const noting =
    <Value>(name: string, run: () => Promise<Value>) =>
    () => {
      asked.push(name);
      return run();
    };
  const dependencies: VisitDependencies = {
    origin: "https://gate.example",
    readSession: noting("session", parts.readSession ?? (async () => session)),
    open: noting("open", parts.open ?? (async () => ({ content: exampleContent }))),
  };
  return { asked, dependencies };
}

test("a visit without a cookie asks nothing of anybody", async () => {
  const { asked, dependencies } = createDependencies();
  expect(await readVisit(null, dependencies)).toEqual({ kind: "outside", session: { signedIn: false } });
  expect(asked).toEqual([]);
});

test("a valid session opens the room", async () => {
  const { asked, dependencies } = createDependencies();
  expect(await readVisit(token, dependencies)).toEqual({
    kind: "inside",
    session,
    content: exampleContent,
  });
  expect(asked).toEqual(["session", "open"]);
});

test("an ended session opens nothing and says why", async () => {
  const ended = { type: "t", title: "You do not own this token", status: 403, detail: "Elsewhere." };
  const { asked, dependencies } = createDependencies({
    readSession: async () => ({ signedIn: false, ended }),
  });
  const visit = await readVisit(token, dependencies);
  expect(visit).toEqual({ kind: "outside", session: { signedIn: false, ended } });
  expect(asked).toEqual(["session"]);
});

test("a session that cannot be judged is explained in words, with the seconds to wait", async () => {
  const outage = createDependencies({ readSession: async () => Promise.reject(chainUnavailable(null)) });
  expect(await readVisit(token, outage.dependencies)).toMatchObject({
    kind: "unknown",
    problem: { type: "https://gate.example/problems/chain-unavailable", status: 503, retryAfter: 5 },
  });
  // The key left between the two questions.
  const left = createDependencies({
    open: async () => Promise.reject(new Refusal("you-do-not-own-this-token")),
  });
  expect(await readVisit(token, left.dependencies)).toMatchObject({
    kind: "unknown",
    problem: { status: 403 },
  });
});

test("a defect is not shown to the visitor and is thrown on to the log", async () => {
  const { dependencies } = createDependencies({ open: async () => Promise.reject(new TypeError("ours")) });
  await expect(readVisit(token, dependencies)).rejects.toThrow("ours");
});
