import type { Locator, Page } from "@playwright/test";

type OperationView = { page: Page; id: string };

/** An operation as Swagger UI draws it. */
export function operationOf({ page, id }: OperationView): Locator {
  return page.locator(`.opblock[id$="-${id}"]`);
}

/** Opens the reference at an operation, ready to fill in. */
export async function openOperation({ page, id }: OperationView): Promise<Locator> {
  const operation = operationOf({ page, id });
  if ((await operation.locator(".opblock-body").count()) === 0) {
    await operation.locator(".opblock-summary-control").click();
  }
  await operation.getByRole("button", { name: "Try it out" }).click();
  return operation;
}

export async function execute(operation: Locator): Promise<void> {
  await operation.getByRole("button", { name: "Execute" }).click();
}

/** The response status of a call that was tried. */
export function liveStatus(operation: Locator): Locator {
  return operation.locator(".live-responses-table .response-col_status").last();
}

export function liveResponse(operation: Locator): Locator {
  return operation.locator(".live-responses-table .response-col_description").last();
}
