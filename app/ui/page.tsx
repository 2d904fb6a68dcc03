import { Link, NavLink } from "@remix-run/react";
import type { ReactNode } from "react";

type PageProps = { appName: string; isDemo: boolean; hasReference: boolean; children: ReactNode };

/** The frame every page sits in: skip link, header, main, footer. */
export function Page({ appName, isDemo, hasReference, children }: PageProps) {
  return (
    <>
      <a className="skip-link" href="#main">
        Skip to the content
      </a>
      <header className="page-header">
        <div className="page-header-row">
          <Link to="/" className="brand">
            <KeyMark />
            <span>{appName}</span>
          </Link>
          {isDemo ? <span className="badge">demo</span> : null}
          <nav aria-label="Main" className="page-nav">
            <NavLink to="/gate">The room</NavLink>
            <NavLink to="/chat">Chat</NavLink>
            {hasReference ? <NavLink to="/docs">API</NavLink> : null}
          </nav>
        </div>
      </header>
      <main id="main" className="page-main" tabIndex={-1}>
        {children}
      </main>
      <footer className="page-footer">
        <p>
          Served by Latchkey, a self-hosted gate.{" "}
          {hasReference ? <a href="/api/openapi">OpenAPI document</a> : null}
        </p>
      </footer>
    </>
  );
}

function KeyMark() {
  return (
    <svg
      className="brand-mark"
      viewBox="0 0 32 32"
      width="28"
      height="28"
      aria-hidden="true"
      focusable="false"
    >
      <rect width="32" height="32" rx="8" className="brand-mark-ground" />
      <path
        className="brand-mark-hole"
        d="M16 7.5a5.25 5.25 0 0 0-2.6 9.81L12 24.5h8l-1.4-7.19A5.25 5.25 0 0 0 16 7.5Z"
      />
    </svg>
  );
}
