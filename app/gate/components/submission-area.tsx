import { useCallback, useEffect, useRef, useState } from "react";
import { countCharacters } from "~/platform/well-formed-text";
import { Notice } from "~/ui/notice";
import type { GateRoom } from "./gate-flow";
import { NoticeCard } from "./notice-card";
import { SafeFragment } from "./safe-fragment";
import { sanitizeToFragment } from "./safe-html";
import { submissionText } from "./submission-text";

/** Characters the server takes. */
const maxCharacters = 10_000;

type SubmissionAreaProps = { html: string; onSubmit: (text: string) => void; isBusy: boolean };

/** The operator's own form. Its fields are theirs; sending is ours, signed by the wallet. */
export function SubmissionArea({ html, onSubmit, isBusy }: SubmissionAreaProps) {
  const area = useRef<HTMLDivElement>(null);
  const [fault, setFault] = useState<string | null>(null);
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
      if (!found) onSubmit(text);
    }
    element.addEventListener("submit", submit);
    return () => element.removeEventListener("submit", submit);
  }, [isBusy, onSubmit]);

  useEffect(() => {
    for (const button of area.current?.querySelectorAll("button") ?? []) {
      if (isBusy) button.setAttribute("aria-disabled", "true");
      else button.removeAttribute("aria-disabled");
    }
  }, [isBusy, fragment]);

  return (
    <div ref={area}>
      <SafeFragment className="latchkey-submission" fragment={fragment} />
      {fault ? (
        <p className="room-fault" role="alert">
          {fault}
        </p>
      ) : null}
    </div>
  );
}

type SubmissionOutcomeProps = { form: GateRoom["form"]; tokenId: string };

/** How far the form has come, in the page's own voice, outside the operator's styles. */
export function SubmissionOutcome({ form, tokenId }: SubmissionOutcomeProps) {
  return (
    <>
      <p role="status" className={form.step === "open" ? "visually-hidden" : "soft"}>
        {form.step === "signing" ? "Sign the form in your wallet." : ""}
        {form.step === "sending" ? "Sending the form." : ""}
      </p>
      {form.isAccepted ? (
        <Notice tone="success" title="Received">
          <p>
            Your message has been delivered, and key #{tokenId} is now used. It does not open the form again.
          </p>
        </Notice>
      ) : null}
      {form.notice ? <NoticeCard notice={form.notice} /> : null}
    </>
  );
}

/** A fragment without a form, or without a way to send it, is completed: operators may write just the fields. */
function buildForm(html: string): DocumentFragment {
  const fragment = sanitizeToFragment({ html, origin: window.location.origin });
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

function faultOf(text: string): string | null {
  if (text === "") return "Write something before you send it.";
  const characters = countCharacters(text);
  if (characters > maxCharacters) return `This is ${characters} characters; ${maxCharacters} fit at most.`;
  return null;
}
