import type { LinksFunction, MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { Chat } from "~/chat/page/chat";
import stylesheetHref from "~/chat/page/chat.css";
import type { loader as rootLoader } from "~/root";
import { getServices } from "~/services.server";
import { describePage } from "~/ui/page-meta";

export const links: LinksFunction = () => [{ rel: "stylesheet", href: stylesheetHref }];

export const meta: MetaFunction<typeof loader, { root: typeof rootLoader }> = ({ matches }) => {
  const root = matches.find((match) => match.id === "root");
  return describePage(
    `Chat - ${root?.data.settings.appName ?? "Latchkey"}`,
    "Questions about this place, answered from its own documents, with sources.",
  );
};

export function loader() {
  const { apiPath, models, requiresJwt, resumeSeconds } = getServices().config.chat;
  return { apiPath, models, requiresSignIn: requiresJwt, keepsReplies: resumeSeconds > 0 };
}

export default function ChatRoute() {
  return <Chat options={useLoaderData<typeof loader>()} />;
}
