import { expect, test } from "vitest";
import { exampleContent } from "~/gate/admission/gate-examples";
import { away, stateFromVisit } from "./gate-state";

const session = {
  signedIn: true,
  tokenId: "7",
  address: "0xab",
  expiresAt: "",
  secondsLeft: 60,
  renewableUntil: "",
  isRenewable: true,
} as const;

test("the page begins with the visitor whom the server saw", () => {
  const inside = stateFromVisit({ kind: "inside", session, content: exampleContent }, 1_000);
  expect(inside).toMatchObject({
    account: null,
    notice: null,
    choice: { tokenId: "7" },
    room: { tokenId: "7", session: { address: "0xab", endsAtMs: 61_000 }, grant: { accessToken: null } },
  });
  const nobody = stateFromVisit({ kind: "outside", session: { signedIn: false } }, 0);
  expect(nobody).toEqual(away);
});

test("the reason why a session ended, or could not be judged, is in the page from the first moment", () => {
  const type = "https://gate.example/problems/you-do-not-own-this-token";
  const ended = { type, title: "You do not own this token", status: 403, detail: "Held by another wallet." };
  expect(stateFromVisit({ kind: "outside", session: { signedIn: false, ended } }, 0)).toMatchObject({
    room: null,
    notice: { title: "The room has closed", detail: "Held by another wallet." },
  });
  const problem = {
    type: "https://gate.example/problems/chain-unavailable",
    title: "Chain unavailable",
    status: 503,
    detail: "The chain could not be asked.",
    retryAfter: 5,
  };
  expect(stateFromVisit({ kind: "unknown", problem }, 0)).toMatchObject({
    room: null,
    notice: { detail: "The chain could not be asked.", retryAtMs: expect.any(Number) as number },
  });
});
