import type { HeadersFunction, LinksFunction, LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { useLoaderData, useRouteLoaderData } from "@remix-run/react";
import { Gate } from "~/gate/components/gate";
import stylesheetHref from "~/gate/components/gate.css";
import { readWalletCookie } from "~/gate/components/wallet-cookie";
import walletStylesheetHref from "~/gate/components/wallet.css";
import type { loader as rootLoader } from "~/root";
import { describePage } from "~/ui/page-meta";

export const links: LinksFunction = () => [
  { rel: "stylesheet", href: stylesheetHref },
  { rel: "stylesheet", href: walletStylesheetHref },
];

/** What the last visit left, so that the page looks right before any script runs. Nothing is decided by it. */
export function loader({ request }: LoaderFunctionArgs) {
  return { remembered: readWalletCookie(request.headers.get("Cookie")) };
}

/** One visitor's page must never be shown to the next. */
export const headers: HeadersFunction = () => ({ "Cache-Control": "private, no-cache", Vary: "Cookie" });

const defaultIntro = "It opens for whoever holds a key, and asks nothing else about you.";

export const meta: MetaFunction<unknown, { root: typeof rootLoader }> = ({ matches }) => {
  const root = matches.find((match) => match.id === "root");
  return describePage({
    title: `The room - ${root?.data.settings.appName ?? "Latchkey"}`,
    description: root?.data.brand.texts.gateIntro ?? defaultIntro,
  });
};

export default function GateRoute() {
  const root = useRouteLoaderData<typeof rootLoader>("root");
  const { remembered } = useLoaderData<typeof loader>();
  if (!root) return null;
  const { gateIntro, lang } = root.brand.texts;
  return (
    <div className="stack">
      <div className="prose">
        <h1>The room</h1>
        <p className="lead" lang={gateIntro && lang}>
          {gateIntro ?? defaultIntro}
        </p>
      </div>
      <noscript>
        <p className="notice notice-info">
          Wallets speak to pages through scripts, so this page needs JavaScript. Everything it does can also
          be done with the API.
        </p>
      </noscript>
      <Gate settings={root.settings} remembered={remembered} />
    </div>
  );
}
