import { useCallback, useEffect, useRef, useState } from "react";
import type { FormEvent, RefObject } from "react";
import { countCharacters } from "~/platform/text/well-formed-text";
import { afterNextPaint } from "~/ui/next-task";
import { dropDraft, fillFields, findDraft, keepDraft, readFields } from "./form-draft";
import { sanitizeToFragment } from "../room/safe-html";
import { SafeFragment } from "../room/shadow-room";
import { countWords, faultOf, submissionText, textLimit } from "./submission-text";

type SubmissionAreaProps = {
  html: string;
  /** Under which name what was typed is kept; null where nobody can say whose it is. */
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
      {/* Near the end only: who listens is not told of every letter. There from the start, so that it is listened to. */}
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

/** Counts what is written, and keeps it as a draft. Undefined until the form is read, null where there is none. */
function useWriting(area: RefObject<HTMLElement>, html: string, draftName: string | null) {
  const [writing, setWriting] = useState<Writing | null>();

  useEffect(() => {
    const element = area.current;
    if (!element) return;
    const keep = () => setWriting(keepWriting(element, draftName));
    // A reset empties the fields only after its event.
    const keepLater = () => queueMicrotask(keep);
    if (draftName) fillFields(element, findDraft(draftName));
    // Reading a form lays the page out, which it is about to be anyway: twice in one task is felt on a phone.
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
  // Values that the operator put into the fields are not a draft.
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
