import type { LinksFunction, MetaFunction } from "@remix-run/node";
import { useLoaderData, useRouteLoaderData } from "@remix-run/react";
import { toPageKinds } from "~/gate/page/kinds/page-kind";
import landingHref from "~/landing/landing.css";
import { LandingPage } from "~/landing/landing-page";
import type { ChatAudience } from "~/landing/landing-text";
import type { loader as rootLoader } from "~/root";
import { getServices } from "~/services.server";
import { describePage } from "~/ui/page-meta";

const defaultDescription = "Content that opens only for the holder of a key, which is a token in a wallet.";

export const links: LinksFunction = () => [{ rel: "stylesheet", href: landingHref }];

export const meta: MetaFunction<typeof loader, { root: typeof rootLoader }> = ({ matches }) => {
  const root = matches.find((match) => match.id === "root")?.data;
  return describePage(
    root?.settings.appName ?? "Latchkey",
    root?.brand.texts.description ?? defaultDescription,
  );
};

export async function loader() {
  const { config, content, publicKinds } = getServices();
  const { isOn, requiresJwt } = config.chat;
  const chatFor: ChatAudience = isOn ? (requiresJwt ? "holders" : "everybody") : null;
  return { kinds: toPageKinds(publicKinds), chatFor, outline: await content.readOutline() };
}

export default function LandingRoute() {
  const loaded = useLoaderData<typeof loader>();
  const root = useRouteLoaderData<typeof rootLoader>("root");
  if (!root) return null;
  const { brand, ...facts } = root;
  return <LandingPage {...facts} {...loaded} texts={brand.texts} />;
}
