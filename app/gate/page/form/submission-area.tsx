import { useCallback, useEffect, useRef, useState } from "react";
import { countCharacters } from "~/platform/well-formed-text";
import { afterNextPaint } from "~/ui/next-task";
import { dropDraft, fillFields, findDraft, keepDraft, readFields } from "./form-draft";
import { SafeFragment } from "../room/safe-fragment";
import { sanitizeToFragment } from "../room/safe-html";
import { countWords, faultOf, submissionText, textLimit } from "./submission-text";

type SubmissionAreaProps = {
  html: string;
  /** Under which name what was typed is kept; null where nobody can say whose it is. */
  draftName: string | null;
  onSubmit: (text: string) => void;
  isBusy: boolean;
};

/** The operator's own form. Its fields are theirs; sending is ours, signed by the wallet. */
export function SubmissionArea({ html, draftName, onSubmit, isBusy }: SubmissionAreaProps) {
  const area = useRef<HTMLDivElement>(null);
  const [fault, setFault] = useState<string | null>(null);
  const writing = useWriting(area, html, draftName);
  const fragment = useCallback(() => buildForm(html), [html]);

  useEffect(() => {
    const element = area.current;
    if (!element) return;
    function submit(event: SubmitEvent) {
      event.preventDefault();
      if (isBusy || !(event.target instanceof HTMLFormElement)) return;
      const text = submissionText(textFields(new FormData(event.target, event.submitter)));
      const found = faultOf(text);
      setFault(found);
      if (found) firstField(event.target)?.focus();
      else onSubmit(text);
    }
    element.addEventListener("submit", submit);
    return () => element.removeEventListener("submit", submit);
  }, [isBusy, onSubmit]);

  useEffect(() => {
    for (const button of area.current?.querySelectorAll("form button") ?? []) {
      if (isBusy) button.setAttribute("aria-disabled", "true");
      else button.removeAttribute("aria-disabled");
    }
  }, [isBusy, fragment]);

  return (
    <div ref={area} className="latchkey-writing">
      <SafeFragment className="latchkey-submission" fragment={fragment} />
      {writing === "unread" ? <p className="latchkey-count">&nbsp;</p> : null}
      {writing === "unread" || writing.limit === null ? null : (
        <Count {...writing} limit={writing.limit} onDiscard={() => discard(area.current)} />
      )}
      {/* Near the end only: who listens is not told of every letter. There from the start, so that it is listened to. */}
      <p role="status" className="latchkey-hidden">
        {isNearEnd(writing) ? countWords(writing) : ""}
      </p>
      {fault ? (
        <p className="room-fault" role="alert">
          {fault}
        </p>
      ) : null}
    </div>
  );
}

type Writing = { count: number; /** Null: there is no form. */ limit: number | null; isDraft: boolean };
const nothingToWrite: Writing = { count: 0, limit: null, isDraft: false };

function isNearEnd(writing: Writing | "unread"): writing is Writing & { limit: number } {
  return writing !== "unread" && writing.limit !== null && writing.count >= writing.limit * 0.9;
}

type CountProps = Writing & { limit: number; onDiscard: () => void };

function Count({ count, limit, isDraft, onDiscard }: CountProps) {
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

/** Counts what is written, and keeps it: a reload, or a room that closes, takes nobody's words away. */
function useWriting(
  area: { current: HTMLDivElement | null },
  html: string,
  draftName: string | null,
): Writing | "unread" {
  const [writing, setWriting] = useState<Writing | "unread">("unread");

  useEffect(() => {
    const element = area.current;
    if (!element) return;
    const keep = () => setWriting(keepWriting(element, draftName));
    // A reset empties the fields only after its event.
    const keepLater = () => queueMicrotask(keep);
    if (draftName) fillFields(element, findDraft(draftName));
    // Reading a form lays the page out, which it is about to be anyway: twice in one task is felt on a phone.
    const stopWaiting = afterNextPaint(keep);
    element.addEventListener("input", keep);
    element.addEventListener("change", keep);
    element.addEventListener("reset", keepLater);
    return () => {
      stopWaiting();
      element.removeEventListener("input", keep);
      element.removeEventListener("change", keep);
      element.removeEventListener("reset", keepLater);
    };
  }, [area, html, draftName]);

  return writing;
}

function keepWriting(element: HTMLElement, draftName: string | null): Writing {
  const form = element.querySelector("form");
  if (!form) return nothingToWrite;
  const count = countCharacters(submissionText(textFields(new FormData(form))));
  const limit = textLimit(textAreasOf(form));
  if (!draftName) return { count, limit, isDraft: false };
  // What the operator has put into the fields beforehand is nobody's draft.
  const fields = readFields(element);
  if (isTouched(form)) return { count, limit, isDraft: keepDraft(draftName, fields) };
  dropDraft(draftName);
  return { count, limit, isDraft: false };
}

function isTouched(form: HTMLFormElement): boolean {
  return [...form.querySelectorAll<HTMLInputElement>("input, textarea, select")].some((field) => {
    if (field instanceof HTMLSelectElement)
      return [...field.options].some((o) => o.selected !== o.defaultSelected);
    if (["checkbox", "radio"].includes(field.type)) return field.checked !== field.defaultChecked;
    return field.value !== field.defaultValue;
  });
}

/** A fragment without a form, or without a way to send it, is completed: operators may write just the fields. */
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

function* textFields(data: FormData): Generator<readonly [string, string]> {
  for (const [name, value] of data) if (typeof value === "string") yield [name, value];
}

/** The form goes back to how the operator wrote it, and its reset drops the draft. */
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
