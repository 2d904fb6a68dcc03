import type { LinksFunction, LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import {
  Links,
  Meta,
  Outlet,
  Scripts,
  ScrollRestoration,
  isRouteErrorResponse,
  useLocation,
  useMatches,
  useRouteError,
  useRouteLoaderData,
} from "@remix-run/react";
import type { ReactNode } from "react";
import { getServices } from "~/services.server";
import { ButtonLink } from "~/ui/button";
import { pageFaces } from "~/ui/typefaces";
import { useNonce } from "~/ui/nonce";
import { Page } from "~/ui/page";
import stylesheetHref from "~/ui/styles/ui.css";
import { useOfflineWorker } from "~/ui/use-offline-worker";

export type PageHandle = { withoutScripts?: boolean };

export const links: LinksFunction = () => [
  // Browsers request fonts anonymously, and the two have to match.
  ...pageFaces.map(
    (href) => ({ rel: "preload", as: "font", href, type: "font/woff2", crossOrigin: "anonymous" }) as const,
  ),
  { rel: "stylesheet", href: stylesheetHref },
  { rel: "manifest", href: "/manifest.webmanifest" },
];

export const meta: MetaFunction<typeof loader> = ({ data, error }) => {
  const appName = data?.settings.appName ?? "Latchkey";
  if (!error) return [{ title: appName }];
  return [{ title: `${isMissing(error) ? "Not found" : describeError(error).heading} - ${appName}` }];
};

export function loader({ context }: LoaderFunctionArgs) {
  const { publicSettings, brand, origin } = context.service;
  const { openApiEnabled } = getServices().config.serving;
  return { settings: publicSettings, brand, origin, hasReference: openApiEnabled };
}

/** Settings don't change while the server runs. */
export const shouldRevalidate = () => false;

export function Layout({ children }: { children: ReactNode }) {
  const nonce = useNonce();
  const data = useRouteLoaderData<typeof loader>("root");
  const isPlain = useMatches().some(({ handle }) => (handle as PageHandle | undefined)?.withoutScripts);
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta
          name="viewport"
          content="width=device-width, initial-scale=1, viewport-fit=cover, interactive-widget=resizes-content"
        />
        <meta name="color-scheme" content="light dark" />
        <Meta />
        <Links />
        <BrandHead />
      </head>
      <body>
        <Page
          appName={data?.settings.appName ?? "Latchkey"}
          isDemo={data?.settings.mode === "demo"}
          logo={data?.brand.logo ?? null}
          footer={data?.brand.texts.footer}
          lang={data?.brand.texts.lang}
          hasChat={data?.brand.hasChat ?? false}
          hasReference={data?.hasReference ?? true}
        >
          {children}
        </Page>
        {isPlain ? null : (
          <>
            <ScrollRestoration nonce={nonce} />
            <Scripts nonce={nonce} />
          </>
        )}
      </body>
    </html>
  );
}

/** Overrides the page's own styles. */
function BrandHead() {
  const data = useRouteLoaderData<typeof loader>("root");
  const { pathname } = useLocation();
  if (!data) return <link rel="icon" href="/favicon.svg" type="image/svg+xml" />;
  const { brand, origin } = data;
  const preview = brand.touchIconHref ?? "/icons/icon-512.png";
  return (
    <>
      {brand.stylesheetHref ? <link rel="stylesheet" href={brand.stylesheetHref} /> : null}
      <link rel="icon" href={brand.favicon.href} type={brand.favicon.type} />
      {brand.touchIconHref ? <link rel="apple-touch-icon" href={brand.touchIconHref} /> : null}
      <meta name="theme-color" content={brand.themeColor.light} media="(prefers-color-scheme: light)" />
      <meta name="theme-color" content={brand.themeColor.dark} media="(prefers-color-scheme: dark)" />
      <meta name="application-name" content={brand.name} />
      <meta property="og:site_name" content={brand.name} />
      <meta property="og:type" content="website" />
      <meta property="og:url" content={`${origin}${pathname}`} />
      {brand.touchIconHref || brand.favicon.href === "/favicon.svg" ? (
        <meta property="og:image" content={`${origin}${preview}`} />
      ) : null}
    </>
  );
}

export default function App() {
  const hasOfflinePage = useRouteLoaderData<typeof loader>("root")?.brand.hasOfflinePage;
  useOfflineWorker({ isWanted: hasOfflinePage ?? false });
  return <Outlet />;
}

export function ErrorBoundary() {
  const { heading, text } = describeError(useRouteError());
  return (
    <div className="prose lost">
      <h1>{heading}</h1>
      <p className="lead">{text}</p>
      <div className="row">
        <ButtonLink to="/">Go to the start</ButtonLink>
        <ButtonLink to="/gate" tone="quiet">
          Go to the gate
        </ButtonLink>
      </div>
    </div>
  );
}

function describeError(error: unknown): { heading: string; text: string } {
  if (isMissing(error)) {
    return {
      heading: "There is nothing here",
      text: "There is no page at this address. Check it for typing mistakes.",
    };
  }
  if (isRouteErrorResponse(error) && error.status < 500) {
    return {
      heading: "We couldn't understand this request",
      text: "Go to the start and open the page from there.",
    };
  }
  return {
    heading: "We couldn't show this page",
    text: "Wait a moment, then load the page again. If the server failed, the error is in its log.",
  };
}

function isMissing(error: unknown): boolean {
  return isRouteErrorResponse(error) && error.status === 404;
}
