import { Refusal } from "~/platform/http/refusal";
import { quotaKinds } from "~/quota/quota-subject";
import type { QuotaOwner } from "~/quota/quota-subject";
import { quotaScopeSchema } from "~/quota/quota.schema";
import type { QuotaResetAnswer, QuotaResetOrder } from "~/quota/quota.schema";
import type { ActionStore } from "./actions.store.server";
import type { Actor } from "./audit.store.server";
import type { TableName } from "./tables/table-spec";

export type ActionDependencies = {
  store: ActionStore;
  /** The outbox looks at once for what is due. */
  wakeOutbox: () => void;
  resetWindow: (request: { owner: QuotaOwner; actor: Actor }) => Promise<number>;
  resetQuotas: (request: { order: QuotaResetOrder; actor: Actor }) => Promise<QuotaResetAnswer>;
};

/** `page`: where the operator came from, and goes back to. */
export type ActionDone = { page: TableName; done: string; count: number };

type ActionCall = { form: URLSearchParams; actor: Actor; dependencies: ActionDependencies };

const actions: Readonly<Record<string, (call: ActionCall) => Promise<ActionDone>>> = {
  "retry-delivery": async ({ form, actor, dependencies: { store, wakeOutbox } }) => {
    const delivery = {
      notificationId: requireField(form, "notificationId"),
      channel: requireField(form, "channel"),
    };
    const count = await store.retryDeliveries(delivery, actor);
    wakeOutbox();
    return { page: "outbox", done: "retried", count };
  },
  "retry-given-up": async ({ actor, dependencies: { store, wakeOutbox } }) => {
    const count = await store.retryDeliveries("given-up", actor);
    wakeOutbox();
    return { page: "outbox", done: "retried", count };
  },
  "reset-window": async ({ form, actor, dependencies }) => {
    const kindText = requireField(form, "kind");
    const kind = quotaKinds.find((known) => known === kindText);
    if (!kind) throw badField("kind", `Must be one of ${quotaKinds.join(", ")}.`);
    const owner = { kind, subject: requireField(form, "subject") };
    return { page: "quotas", done: "reset", count: await dependencies.resetWindow({ owner, actor }) };
  },
  "reset-quotas": async ({ form, actor, dependencies }) => {
    const scope = quotaScopeSchema.safeParse(requireField(form, "scope"));
    if (!scope.success) throw badField("scope", "Must be token, crypto or both.");
    const { token, crypto } = await dependencies.resetQuotas({
      order: { scope: scope.data, mode: "all" },
      actor,
    });
    return { page: "quotas", done: "reset", count: (token?.deleted ?? 0) + (crypto?.deleted ?? 0) };
  },
  "mark-handled": (call) => mark({ ...call, isHandled: true }),
  "mark-open": (call) => mark({ ...call, isHandled: false }),
};

async function mark({
  form,
  actor,
  dependencies,
  isHandled,
}: ActionCall & { isHandled: boolean }): Promise<ActionDone> {
  const submissionId = requireField(form, "submissionId");
  const count = await dependencies.store.markSubmission(submissionId, isHandled, actor);
  return { page: "submissions", done: isHandled ? "handled" : "reopened", count };
}

export async function act({ action, ...call }: ActionCall & { action: string }): Promise<ActionDone> {
  const perform = Object.hasOwn(actions, action) ? actions[action] : undefined;
  if (!perform) throw new Refusal("not-found", { detail: "There is no such action." });
  return await perform(call);
}

const maxFieldChars = 300;

function requireField(form: URLSearchParams, name: string): string {
  const text = form.get(name)?.trim() ?? "";
  if (text !== "" && text.length <= maxFieldChars && !text.includes("\0")) return text;
  throw badField(name, "Is missing or too long.");
}

function badField(name: string, message: string): Refusal {
  return new Refusal("invalid-request", {
    detail: `${name}: ${message}`,
    members: { errors: [{ path: name, message }] },
  });
}
