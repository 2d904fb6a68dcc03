import { useCallback, useEffect, useRef, useState } from "react";
import type { FormEvent, RefObject } from "react";
import { countCharacters } from "~/platform/text/well-formed-text";
import { afterNextPaint } from "~/ui/next-task";
import { sanitizeToFragment } from "../room/safe-html";
import { SafeFragment } from "../room/shadow-room";
import { formDraftPrefix, tryTo } from "~/ui/personal-storage";

type SubmissionAreaProps = {
  html: string;
  /** The draft's name; null for an unknown visitor. */
  draftName: string | null;
  onSubmit: (text: string) => void;
  isBusy: boolean;
};

export function SubmissionArea({ html, draftName, onSubmit, isBusy }: SubmissionAreaProps) {
  const area = useRef<HTMLDivElement>(null);
  const [fault, setFault] = useState<string | null>(null);
  const writing = useWriting(area, html, draftName);
  const fragment = useCallback(() => buildForm(html), [html]);

  function submit(event: FormEvent) {
    event.preventDefault();
    if (isBusy || !(event.target instanceof HTMLFormElement)) return;
    const { submitter } = event.nativeEvent as SubmitEvent;
    const text = writtenText(new FormData(event.target, submitter));
    const found = faultOf(text);
    setFault(found);
    if (found) firstField(event.target)?.focus();
    else onSubmit(text);
  }

  useEffect(() => {
    for (const button of area.current?.querySelectorAll("form button") ?? []) {
      if (isBusy) button.setAttribute("aria-disabled", "true");
      else button.removeAttribute("aria-disabled");
    }
  }, [isBusy, fragment]);

  return (
    <div ref={area} className="latchkey-writing" onSubmit={submit}>
      <SafeFragment className="latchkey-submission" fragment={fragment} />
      {writing === undefined ? <p className="latchkey-count">&nbsp;</p> : null}
      {writing ? <Count {...writing} onDiscard={() => discard(area.current)} /> : null}
      {/* Announced only near the limit. */}
      <p role="status" className="latchkey-hidden">
        {writing && writing.count >= writing.limit * 0.9 ? countWords(writing) : ""}
      </p>
      {fault ? (
        <p className="room-fault" role="alert">
          {fault}
        </p>
      ) : null}
    </div>
  );
}

type Writing = { count: number; limit: number; isDraft: boolean };

function Count({ count, limit, isDraft, onDiscard }: Writing & { onDiscard: () => void }) {
  return (
    <p className="latchkey-count" data-over={count > limit || undefined}>
      <span aria-live="off">{countWords({ count, limit })}</span>
      {isDraft ? (
        <>
          {" · kept in this tab until you send it "}
          <button type="button" className="latchkey-quiet" onClick={onDiscard}>
            Discard
          </button>
        </>
      ) : null}
    </p>
  );
}

/** Counts characters and keeps a draft. Undefined until the form is read, null without a form. */
function useWriting(area: RefObject<HTMLElement>, html: string, draftName: string | null) {
  const [writing, setWriting] = useState<Writing | null>();

  useEffect(() => {
    const element = area.current;
    if (!element) return;
    const keep = () => setWriting(keepWriting(element, draftName));
    // A reset clears the fields after its event.
    const keepLater = () => queueMicrotask(keep);
    if (draftName) fillFields(element, findDraft(draftName));
    // Reading the form forces a layout, which is about to happen anyway.
    const stopWaiting = afterNextPaint(keep);
    const listening = new AbortController();
    const { signal } = listening;
    element.addEventListener("input", keep, { signal });
    element.addEventListener("change", keep, { signal });
    element.addEventListener("reset", keepLater, { signal });
    return () => {
      stopWaiting();
      listening.abort();
    };
  }, [area, html, draftName]);

  return writing;
}

function keepWriting(element: HTMLElement, draftName: string | null): Writing | null {
  const form = element.querySelector("form");
  if (!form) return null;
  const count = countCharacters(writtenText(new FormData(form)));
  const limit = textLimit(textAreasOf(form));
  // The operator's own values are not a draft.
  const isWritten = draftName !== null && isTouched(form);
  if (draftName && !isWritten) dropDraft(draftName);
  return { count, limit, isDraft: isWritten && keepDraft(draftName, readFields(element)) };
}

function writtenText(data: FormData): string {
  return submissionText([...data].filter((field): field is [string, string] => typeof field[1] === "string"));
}

function isTouched(form: HTMLFormElement): boolean {
  return [...form.querySelectorAll<HTMLInputElement>("input, textarea, select")].some((field) => {
    if (field instanceof HTMLSelectElement)
      return [...field.options].some((o) => o.selected !== o.defaultSelected);
    if (["checkbox", "radio"].includes(field.type)) return field.checked !== field.defaultChecked;
    return field.value !== field.defaultValue;
  });
}

/** Adds a missing form or submit button: operators may write only the fields. */
function buildForm(html: string): DocumentFragment {
  const fragment = sanitizeToFragment(html, window.location.origin);
  if (!fragment.querySelector("input, textarea, select")) return fragment;
  let form = fragment.querySelector("form");
  if (!form) {
    form = document.createElement("form");
    form.append(...fragment.childNodes);
    fragment.append(form);
  }
  if (!form.querySelector("button:not([type=button], [type=reset])")) {
    const button = document.createElement("button");
    button.type = "submit";
    button.textContent = "Sign and send";
    form.append(button);
  }
  return fragment;
}

/** The reset also drops the draft. */
function discard(element: HTMLElement | null): void {
  const form = element?.querySelector("form");
  form?.reset();
  if (form) firstField(form)?.focus();
}

function firstField(form: HTMLFormElement): HTMLElement | null {
  return form.querySelector<HTMLElement>("textarea, input:not([type=hidden]), select");
}

function textAreasOf(form: HTMLFormElement): { name: string; maxLength: number }[] {
  const fields = form.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>("textarea, input");
  return [...fields]
    .filter(({ name, type }) => name !== "" && type !== "hidden")
    .map(({ name, maxLength }) => ({ name, maxLength }));
}

type DraftField = { name: string; value: string; isChecked: boolean };

/** Larger than any form that could be sent. */
const maxDraftCharacters = 100_000;

/** Each key and wallet has its own draft. */
export function draftName({ keyId, address }: { keyId: string; address: string }): string {
  return `${formDraftPrefix}${keyId}:${address.toLowerCase()}`;
}

export function writeDraft(fields: readonly DraftField[]): string | null {
  const text = JSON.stringify(fields.map(({ name, value, isChecked }) => [name, value, isChecked ? 1 : 0]));
  return text.length > maxDraftCharacters ? null : text;
}

/** Another version of the page may have stored it. */
export function readDraft(text: string | null): DraftField[] {
  try {
    const stored: unknown = JSON.parse(text ?? "[]");
    return (stored as unknown[]).flatMap((entry) => {
      const [name, value, checked]: unknown[] = Array.isArray(entry) ? entry : [];
      if (typeof name !== "string" || typeof value !== "string") return [];
      return [{ name, value, isChecked: checked === 1 }];
    });
  } catch {
    return [];
  }
}

// Drafts in the session storage survive a reload and end with the tab.

function findDraft(name: string): DraftField[] {
  try {
    return readDraft(window.sessionStorage.getItem(name));
  } catch {
    return [];
  }
}

function keepDraft(name: string, fields: readonly DraftField[]): boolean {
  const text = writeDraft(fields);
  return text !== null && tryTo(() => window.sessionStorage.setItem(name, text));
}

export function dropDraft(name: string): void {
  tryTo(() => window.sessionStorage.removeItem(name));
}

type FormField = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** Visible fields only. */
function ownFields(root: ParentNode): FormField[] {
  const all = [...root.querySelectorAll<FormField>("input[name], textarea[name], select[name]")];
  return all.filter((field) => !["hidden", "password", "file"].includes(field.type));
}

function readFields(root: ParentNode): DraftField[] {
  return ownFields(root).map((field) => ({
    name: field.name,
    value: field.value,
    isChecked: "checked" in field && field.checked,
  }));
}

/** Fills the fields that still match the draft. */
function fillFields(root: ParentNode, draft: readonly DraftField[]): void {
  for (const [index, field] of ownFields(root).entries()) {
    const kept = draft[index];
    if (kept?.name !== field.name) continue;
    if ("checked" in field && ["checkbox", "radio"].includes(field.type)) field.checked = kept.isChecked;
    else field.value = kept.value;
  }
}

/** The server's prefix for every name in the operator's form. */
const namePrefix = "room-";

/** A line `name: value` for each field, then the message. */
export function submissionText(fields: Iterable<readonly [name: string, value: string]>): string {
  const lines: string[] = [];
  let message = "";
  for (const [name, value] of fields) {
    const plainName = name.startsWith(namePrefix) ? name.slice(namePrefix.length) : name;
    const trimmed = value.replace(/\r\n?/g, "\n").trim();
    if (trimmed === "") continue;
    if (plainName === "message") message = message === "" ? trimmed : `${message}\n${trimmed}`;
    else lines.push(`${plainName}: ${trimmed}`);
  }
  return [lines.join("\n"), message].filter(Boolean).join("\n\n");
}

/** The server's limit. */
const maxCharacters = 10_000;

export function faultOf(text: string): string | null {
  if (text === "") return "Write something before you send it.";
  const count = countCharacters(text);
  if (count > maxCharacters) return `This is ${count} characters; ${maxCharacters} fit at most.`;
  return null;
}

/** The server's limit, or a single field's own (-1: none). */
export function textLimit(fields: readonly { name: string; maxLength: number }[]): number {
  const [only, ...others] = fields;
  const isLimited = others.length === 0 && only?.name === `${namePrefix}message` && only.maxLength >= 0;
  return isLimited ? Math.min(only.maxLength, maxCharacters) : maxCharacters;
}

export function countWords({ count, limit }: { count: number; limit: number }): string {
  const [written, most] = [count, limit].map(groupThousands);
  if (count > limit) return `${written} of ${most} characters: ${groupThousands(count - limit)} too many`;
  return `${written} of ${most} characters`;
}

/** The first call of the browser's own formatter delays the room on a phone. */
function groupThousands(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}
