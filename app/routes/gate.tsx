import { data, redirect } from "@remix-run/node";
import type { ActionFunctionArgs, HeadersFunction, LinksFunction } from "@remix-run/node";
import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { useLoaderData, useRouteLoaderData } from "@remix-run/react";
import type { ClientActionFunctionArgs, ShouldRevalidateFunction } from "@remix-run/react";
import { Gate } from "~/gate/page/gate";
import stylesheetHref from "~/gate/page/gate.css";
import { readWalletCookie } from "~/gate/page/wallet/wallet-cookie";
import { toPageKinds } from "~/gate/page/kinds/page-kind";
import walletStylesheetHref from "~/gate/page/wallet/wallet.css";
import type { loader as rootLoader } from "~/root";
import { Notice } from "~/ui/notice";
import { describePage } from "~/ui/page-meta";
import { readKeyLookup } from "~/gate/session/visit.server";
import { isVisit } from "~/door/is-visit.server";
import { getServices } from "~/services.server";
import { action as submitForm } from "./api.form-submission-gate";

export const links: LinksFunction = () =>
  [stylesheetHref, walletStylesheetHref].map((href) => ({ rel: "stylesheet", href }));

const defaultIntro = "It opens for key holders, and asks nothing else about you.";

export const meta: MetaFunction<typeof loader, { root: typeof rootLoader }> = ({ matches }) => {
  const root = matches.find((match) => match.id === "root");
  return describePage(
    `The room - ${root?.data.settings.appName ?? "Latchkey"}`,
    root?.data.brand.texts.gateIntro ?? defaultIntro,
  );
};

/** The page has gated content. */
const noStore = { "Cache-Control": "no-store" };
export const headers: HeadersFunction = ({ actionHeaders }) => {
  const problem = actionHeaders.get("X-Problem");
  return { ...noStore, ...(problem !== null && { "X-Problem": problem }) };
};

export async function loader({ context }: LoaderFunctionArgs) {
  const { gate, content, origin, config, publicKinds } = getServices();
  const { host, searchParams } = context;
  const isCrossSite = context.headers["sec-fetch-site"] === "cross-site";
  const door = await getServices().door.visit({
    searchParams,
    cookie: context.headers.cookie,
    host,
    isOwnVisit: isVisit(context) && !isCrossSite,
    noteWayOn: (way) => context.service.noteAccess({ context, refusal: null, ...way }),
  });
  if (door && "redirectTo" in door) {
    throw redirect(door.redirectTo, {
      headers: { ...noStore, ...(door.kept && gate.session.keepCookie(door.kept)) },
    });
  }
  const [visit, lookup, outline] = await Promise.all([
    gate.session.visit({ cookie: context.headers.cookie, host }),
    readKeyLookup(searchParams, { origin, readTokenStatus: gate.readTokenStatus }),
    content.readOutline(),
  ]);
  // Only for the first rendering.
  const lastWallet = readWalletCookie(context.headers.cookie);
  const kinds = toPageKinds(publicKinds);
  const signsSiwe = config.state.enabled;
  const status = door?.kind === "wrong" ? 400 : 200;
  return data({ visit, lookup, outline, door, lastWallet, kinds, signsSiwe }, { status });
}

/** The signed one-time form is JSON. Any other form signs out. */
export async function action(args: ActionFunctionArgs) {
  const { context } = args;
  if (context.headers["content-type"]?.startsWith("application/json")) return submitForm(args);
  return redirect("/gate", {
    status: 303,
    headers: { ...noStore, ...(await getServices().signOut({ cookie: context.headers.cookie })) },
  });
}

/**
 * Null if no response was readable, because an error would replace the page. That is a lost connection, or a refusal
 * by the pages' guard, whose JSON the framework can't decode.
 */
export async function clientAction({ serverAction }: ClientActionFunctionArgs): Promise<unknown> {
  return serverAction<typeof action>().catch(() => null);
}

export const shouldRevalidate: ShouldRevalidateFunction = ({ formMethod, defaultShouldRevalidate }) =>
  formMethod === undefined && defaultShouldRevalidate;

export default function GateRoute() {
  const root = useRouteLoaderData<typeof rootLoader>("root");
  const loaded = useLoaderData<typeof loader>();
  if (!root) return null;
  const { door, ...rest } = loaded;
  const { gateIntro, lang } = root.brand.texts;
  return (
    <div className="stack gate-page">
      <div className="prose">
        <h1>The room</h1>
        <p className="lead" lang={gateIntro && lang}>
          {gateIntro ?? defaultIntro}
        </p>
      </div>
      <noscript>
        <p className="notice tone-info">
          Signing in with a wallet needs JavaScript. Without it you can look up a key below, and read the room
          if you&rsquo;re signed in. The API can do everything else.
        </p>
      </noscript>
      {door?.kind === "wrong" ? (
        <Notice tone="problem" title="This site isn't protected by this gate">
          <p>
            The address you came with isn&rsquo;t on a site that this gate opens. Open the site itself. It
            brings you here if this gate protects it.
          </p>
        </Notice>
      ) : (
        <Gate settings={root.settings} {...rest} door={door} />
      )}
    </div>
  );
}
