import type { Page } from "@playwright/test";
import { operatorSecret } from "../support/browser/gate-server";
import type { OperatorServer } from "../support/browser/operator-server";

type Taking = { page: Page; server: OperatorServer; shoot: (state: string) => Promise<unknown> };

const longMessage =
  "Good evening. I would like to bring two friends on Friday, one of whom needs a place without stairs. Could you tell me by Wednesday whether there is such a place, and whether they need keys of their own?";

/** Every page, with rows in every table. */
export async function shootOperator({ page, server, shoot }: Taking): Promise<void> {
  await server.leaveTraces(longMessage);
  await server.leaveTraces("Thank you!");
  await shootSignIn({ page, server, shoot });
  for (const [path, state, firstColumn] of [
    ["state", "state", null],
    ["activity?span=hour", "activity", null],
    [`check?address=0x${"ab".repeat(20)}&tokenId=1`, "check", null],
    ["check?address=someone.eth&tokenId=-1", "check-faults", null],
    ["keys", "keys", "Key"],
    ["submissions", "submissions", "Message"],
    ["outbox", "outbox", "Channel"],
    ["quotas", "quotas", "Subject"],
    ["limits", "limits", "Limit"],
    ["decisions", "decisions", "Outcome"],
    ["decisions?outcome=refused&sort=nonsense", "decisions-filtered", "Outcome"],
    ["audit", "audit", "Action"],
  ] as const) {
    await page.goto(`${server.baseUrl}/operator/${path}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    // Waits for rows, because an empty table shows nothing.
    if (firstColumn !== null) await page.locator(`tbody td[data-label="${firstColumn}"]`).first().waitFor();
    await shoot(`operator-${state}`);
  }
  await shootSubmission({ page, server, shoot });
  await page.goto(`${server.baseUrl}/operator/nothing`);
  await page.getByRole("heading", { name: "There is nothing here" }).waitFor();
  await shoot("operator-error");
  await page.goto(`${server.baseUrl}/operator/state`);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByText("You are signed out.").waitFor();
  await shoot("operator-signed-out");
}

async function shootSignIn({ page, server, shoot }: Taking): Promise<void> {
  await page.goto(`${server.baseUrl}/operator`);
  await shoot("operator-sign-in");
  await page.getByLabel("Secret").fill("not the secret");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("alert").waitFor();
  await shoot("operator-wrong");
  const until = Math.ceil(Date.now() / 1_000) + 42;
  await page.goto(`${server.baseUrl}/operator/sign-in?fault=too-many-requests&until=${until}`);
  await page.getByText("You can try again in").waitFor();
  await shoot("operator-limited");
  await page.goto(`${server.baseUrl}/operator`);
  await page.getByLabel("Secret").fill(operatorSecret);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Dependencies" }).waitFor();
}

async function shootSubmission({ page, server, shoot }: Taking): Promise<void> {
  await page.goto(`${server.baseUrl}/operator/submissions`);
  await page
    .getByRole("link", { name: /^Open the submission/ })
    .last()
    .click();
  await page.locator(".operator-message").waitFor();
  await shoot("operator-submission");
  await page.getByRole("button", { name: /^Mark handled/ }).click();
  await page.getByText("marked as handled").waitFor();
  await shoot("operator-handled");
}
