import type { LinksFunction, MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { Chat } from "~/chat/components/chat";
import stylesheetHref from "~/chat/components/chat.css";
import type { loader as rootLoader } from "~/root";
import { getServices } from "~/services.server";
import { describePage } from "~/ui/page-meta";

export const links: LinksFunction = () => [{ rel: "stylesheet", href: stylesheetHref }];

export const meta: MetaFunction<typeof loader, { root: typeof rootLoader }> = ({ matches }) => {
  const root = matches.find((match) => match.id === "root");
  return describePage({
    title: `Chat - ${root?.data.settings.appName ?? "Latchkey"}`,
    description: "Questions about this place, answered from its own documents, with sources.",
  });
};

export function loader() {
  const { apiPath, models, requiresJwt } = getServices().config.conversation;
  return { apiPath, models, requiresSignIn: requiresJwt };
}

export default function ChatRoute() {
  return <Chat place={useLoaderData<typeof loader>()} />;
}
