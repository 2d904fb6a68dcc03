import { Form } from "@remix-run/react";
import type { ReactNode } from "react";
import { Notice } from "~/ui/notice";
import { useCountdown } from "~/ui/use-seconds-until";
import { Wait } from "~/ui/wait";
import type { PageNotice } from "../notices";
import { tableNames } from "../tables/table-spec";
import { tableSpecs } from "../tables/table-specs";

type FrameProps = {
  title: string;
  lead: ReactNode;
  /** The address of the page among those in the navigation. */
  path: string;
  notices?: readonly PageNotice[];
  children: ReactNode;
};

const pages = [
  { path: "/operator/state", title: "State" },
  { path: "/operator/activity", title: "Activity" },
  { path: "/operator/check", title: "Check" },
  ...tableNames.map((name) => ({ path: `/operator/${name}`, title: tableSpecs[name].title })),
];

export const describeOperatorPage = (title: string) => [
  { title: `${title} - Operator` },
  { name: "robots", content: "noindex" },
];

/** Plain links and forms: every page works without scripts. */
export function OperatorFrame({ title, lead, path, notices = [], children }: FrameProps) {
  return (
    <div className="stack operator">
      <div className="operator-bar">
        <nav aria-label="Operator" className="row operator-nav">
          {pages.map((page) => (
            <a key={page.path} href={page.path} aria-current={page.path === path ? "page" : undefined}>
              {page.title}
            </a>
          ))}
        </nav>
        <Form method="post" action="/operator/sign-in?out">
          <button type="submit" className="operator-button">
            Sign out
          </button>
        </Form>
      </div>
      <NoticeList notices={notices} />
      <div className="operator-head">
        <h1>{title}</h1>
        <p className="soft">{lead}</p>
      </div>
      {children}
    </div>
  );
}

export function NoticeList({ notices }: { notices: readonly PageNotice[] }) {
  return notices.map(({ tone, title, text, waitSeconds }) => (
    <Notice key={`${title} ${text}`} tone={tone} title={title}>
      <p>{text}</p>
      {waitSeconds === undefined ? null : <PassingWait seconds={waitSeconds} />}
    </Notice>
  ));
}

function PassingWait({ seconds }: { seconds: number }) {
  return <Wait secondsLeft={useCountdown(seconds)} />;
}
