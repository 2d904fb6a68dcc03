import { Link, NavLink } from "@remix-run/react";
import type { ReactNode } from "react";
import { KeyMark } from "./key-mark";

type PageLogo = { href: string; aspectRatio: number; isWordmark: boolean };

type PageProps = {
  appName: string;
  isDemo: boolean;
  /** Null for the key mark. */
  logo: PageLogo | null;
  /** The operator's text, in `lang`. */
  footer: string | undefined;
  lang: string | undefined;
  hasChat: boolean;
  hasReference: boolean;
  children: ReactNode;
};

export function Page({ appName, isDemo, logo, footer, lang, hasChat, hasReference, children }: PageProps) {
  return (
    <>
      <a className="skip-link" href="#main">
        Skip to the content
      </a>
      <header className="page-header">
        <div className="row page-header-row">
          <Link to="/" className="brand">
            <Brand appName={appName} logo={logo} />
          </Link>
          {isDemo ? <span className="badge">demo</span> : null}
          <nav aria-label="Main" className="page-nav">
            <NavLink to="/gate">The room</NavLink>
            {hasChat ? <NavLink to="/chat">Chat</NavLink> : null}
            {hasReference ? <a href="/docs">API</a> : null}
          </nav>
        </div>
      </header>
      <main id="main" className="page-main" tabIndex={-1}>
        {children}
      </main>
      <footer className="page-footer">
        <p>
          <span lang={footer && lang}>{footer ?? "Served by Latchkey, a self-hosted gate."}</span>{" "}
          {hasReference ? <a href="/api/openapi">OpenAPI document</a> : null}
        </p>
      </footer>
    </>
  );
}

const logoHeight = 28;

function Brand({ appName, logo }: Pick<PageProps, "appName" | "logo">) {
  return (
    <>
      {logo ? (
        <img
          className="brand-logo"
          src={logo.href}
          width={Math.round(logoHeight * logo.aspectRatio)}
          height={logoHeight}
          alt={logo.isWordmark ? appName : ""}
        />
      ) : (
        <KeyMark />
      )}
      {logo?.isWordmark ? null : <span>{appName}</span>}
    </>
  );
}
