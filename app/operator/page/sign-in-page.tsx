import { Form } from "@remix-run/react";
import { Button } from "~/ui/button";
import { Field } from "~/ui/field";
import type { PageNotice } from "../notices";
import { NoticeList } from "./operator-frame";

export function SignInPage({ next, notices }: { next: string; notices: readonly PageNotice[] }) {
  return (
    <div className="operator-sign-in stack">
      <div className="prose">
        <h1>Operator</h1>
        <p className="lead">State, submissions, limits and decisions of this gate, for its operator.</p>
      </div>
      <NoticeList notices={notices} />
      <Form method="post" action="/operator/sign-in" className="stack-close">
        <input type="hidden" name="next" value={next} />
        <Field
          label="Secret"
          hint="The value of OPERATOR_SECRET. Every attempt is counted, and wrong ones are recorded."
          type="password"
          name="secret"
          required
          maxLength={512}
          autoComplete="current-password"
        />
        <Button type="submit">Sign in</Button>
      </Form>
    </div>
  );
}
