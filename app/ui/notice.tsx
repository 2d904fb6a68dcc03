import type { ReactNode } from "react";

type NoticeProps = { tone: "info" | "problem" | "success"; title: string; children?: ReactNode };

/** Problems interrupt a screen reader. */
export function Notice({ tone, title, children }: NoticeProps) {
  return (
    <div className={`notice tone-${tone}`} role={tone === "problem" ? "alert" : "status"}>
      <p className="notice-title">{title}</p>
      {children}
    </div>
  );
}
