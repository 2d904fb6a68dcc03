import { Refusal } from "~/platform/refusals/refusal";
import type { DeliveryRef } from "~/platform/outbox/outbox";
import { quotaKinds } from "~/quota/quota-subject";
import type { QuotaOwner } from "~/quota/quota-subject";
import { quotaScopeSchema } from "~/quota/quota.schema";
import type { QuotaResetAnswer, QuotaResetOrder } from "~/quota/quota.schema";
import type { ActionStore } from "./actions.store.server";
import type { Actor } from "./sessions.store.server";
import { actionTables } from "./tables/table-spec";
import type { ActionName } from "./tables/table-spec";

type ActionDependencies = {
  store: ActionStore;
  wakeOutbox: () => void;
  resetWindow: (owner: QuotaOwner, actor: Actor) => Promise<number>;
  resetQuotas: (order: QuotaResetOrder, actor: Actor) => Promise<QuotaResetAnswer>;
};

type ActionCall = { form: URLSearchParams; actor: Actor; dependencies: ActionDependencies };

type ActionRequest = { action: string; form: URLSearchParams; actor: Actor };

type ActionDone = { done: string; count: number };

const actions: Readonly<Record<ActionName, (call: ActionCall) => Promise<ActionDone>>> = {
  "retry-delivery": async (call) => {
    const notificationId = requireField(call.form, "notificationId");
    return await retry(call, { notificationId, channel: requireField(call.form, "channel") });
  },
  "retry-given-up": (call) => retry(call, "given-up"),
  "reset-window": async ({ form, actor, dependencies }) => {
    const kindText = requireField(form, "kind");
    const kind = quotaKinds.find((known) => known === kindText);
    if (!kind) throw badField("kind", `Must be one of ${quotaKinds.join(", ")}.`);
    const owner = { kind, subject: requireField(form, "subject") };
    return { done: "reset", count: await dependencies.resetWindow(owner, actor) };
  },
  "reset-quotas": async ({ form, actor, dependencies }) => {
    const scope = quotaScopeSchema.safeParse(requireField(form, "scope"));
    if (!scope.success) throw badField("scope", "Must be token, crypto or both.");
    const order = { scope: scope.data, mode: "all" } as const;
    const { token, crypto } = await dependencies.resetQuotas(order, actor);
    return { done: "reset", count: (token?.deleted ?? 0) + (crypto?.deleted ?? 0) };
  },
  "mark-handled": (call) => mark(call, true),
  "mark-open": (call) => mark(call, false),
};

async function retry(
  { actor, dependencies: { store, wakeOutbox } }: ActionCall,
  deliveries: DeliveryRef | "given-up",
): Promise<ActionDone> {
  const count = await store.retryDeliveries(deliveries, actor);
  wakeOutbox();
  return { done: "retried", count };
}

async function mark({ form, actor, dependencies }: ActionCall, isHandled: boolean): Promise<ActionDone> {
  const submissionId = requireField(form, "submissionId");
  const count = await dependencies.store.markSubmission(submissionId, isHandled, actor);
  return { done: isHandled ? "handled" : "reopened", count };
}

export function createActions(dependencies: ActionDependencies) {
  return async function act({ action, form, actor }: ActionRequest) {
    if (!isActionName(action)) throw new Refusal("not-found", { detail: "There is no such action." });
    return { table: actionTables[action], ...(await actions[action]({ form, actor, dependencies })) };
  };
}

const isActionName = (text: string): text is ActionName => Object.hasOwn(actionTables, text);

const maxFieldChars = 300;

function requireField(form: URLSearchParams, name: string): string {
  const text = form.get(name)?.trim() ?? "";
  if (text !== "" && text.length <= maxFieldChars && !text.includes("\0")) return text;
  throw badField(name, "Is missing or too long.");
}

function badField(name: string, message: string): Refusal {
  const errors = [{ path: name, message }];
  return new Refusal("invalid-request", { detail: `${name}: ${message}`, members: { errors } });
}
