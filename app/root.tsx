import type { LinksFunction, LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import {
  Links,
  Meta,
  Outlet,
  Scripts,
  ScrollRestoration,
  isRouteErrorResponse,
  useRouteError,
  useRouteLoaderData,
} from "@remix-run/react";
import type { ReactNode } from "react";
import { getServices } from "~/services.server";
import { ButtonLink } from "~/ui/button";
import { useNonce } from "~/ui/nonce";
import { Page } from "~/ui/page";
import stylesheetHref from "~/ui/ui.css";

export const links: LinksFunction = () => [
  { rel: "stylesheet", href: stylesheetHref },
  { rel: "icon", href: "/favicon.svg", type: "image/svg+xml" },
  { rel: "alternate icon", href: "/favicon.ico", sizes: "32x32" },
];

export const meta: MetaFunction<typeof loader> = ({ data, error }) => {
  const appName = data?.settings.appName ?? "Latchkey";
  if (!error) return [{ title: appName }];
  return [{ title: `${isMissing(error) ? "Not found" : describeError(error).heading} - ${appName}` }];
};

export function loader({ context }: LoaderFunctionArgs) {
  const { openApiEnabled } = getServices().config.serving;
  return { settings: context.service.publicSettings, hasReference: openApiEnabled };
}

export function Layout({ children }: { children: ReactNode }) {
  const nonce = useNonce();
  const { settings, hasReference = false } = useRouteLoaderData<typeof loader>("root") ?? {};
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta
          name="viewport"
          content="width=device-width, initial-scale=1, interactive-widget=resizes-content"
        />
        <meta name="color-scheme" content="light dark" />
        <Meta />
        <Links />
      </head>
      <body>
        <Page
          appName={settings?.appName ?? "Latchkey"}
          isDemo={settings?.mode === "demo"}
          hasReference={hasReference}
        >
          {children}
        </Page>
        <ScrollRestoration nonce={nonce} />
        <Scripts nonce={nonce} />
      </body>
    </html>
  );
}

export default function App() {
  return <Outlet />;
}

export function ErrorBoundary() {
  const { heading, text } = describeError(useRouteError());
  return (
    <div className="prose">
      <h1>{heading}</h1>
      <p>{text}</p>
      <p>
        <ButtonLink to="/">Go to the start</ButtonLink>
      </p>
    </div>
  );
}

function describeError(error: unknown): { heading: string; text: string } {
  if (isMissing(error)) {
    return {
      heading: "There is nothing here",
      text: "No page lives at this address. It may have been mistyped, or the page may have moved.",
    };
  }
  if (isRouteErrorResponse(error) && error.status < 500) {
    return {
      heading: "This could not be understood",
      text: "The page was asked for in a way it cannot answer. Opening it anew from the start helps.",
    };
  }
  return {
    heading: "Something went wrong",
    text: "The fault is ours, not yours. It has been written to the log; trying again often helps.",
  };
}

function isMissing(error: unknown): boolean {
  return isRouteErrorResponse(error) && error.status === 404;
}
