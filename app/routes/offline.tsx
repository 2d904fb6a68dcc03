import type { MetaFunction } from "@remix-run/node";
import { useRouteLoaderData } from "@remix-run/react";
import type { PageHandle, loader as rootLoader } from "~/root";

/** Without scripts, because a later build may not have their files. */
export const handle: PageHandle = { withoutScripts: true };

export const meta: MetaFunction<unknown, { root: typeof rootLoader }> = ({ matches }) => {
  const root = matches.find((match) => match.id === "root");
  return [
    { title: `Offline - ${root?.data.settings.appName ?? "Latchkey"}` },
    { name: "robots", content: "noindex" },
  ];
};

/** The requested address. */
const sameAddress = "";

export default function OfflinePage() {
  const hasChat = useRouteLoaderData<typeof rootLoader>("root")?.brand.hasChat;
  return (
    <div className="prose lost">
      <h1>You are offline</h1>
      <p className="lead">
        This device cannot reach us at the moment. Nothing is lost: your key is in your wallet, and what was
        yours here is still yours when the connection is back.
      </p>
      <div className="row">
        <a className="button button-primary" href={sameAddress}>
          Try again
        </a>
      </div>
      <p className="soft">
        {hasChat ? "Conversations you had stay in this browser. " : null}
        The room itself is never kept on a device, because it opens only while the key is held.
      </p>
    </div>
  );
}
