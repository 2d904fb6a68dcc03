import type { MetaFunction } from "@remix-run/node";
import { useRouteLoaderData } from "@remix-run/react";
import { ButtonLink } from "~/ui/button";

export const meta: MetaFunction = ({ matches }) => {
  const root = matches.find((match) => match.id === "root")?.data as
    { settings?: { appName: string } } | undefined;
  return [
    { title: root?.settings?.appName ?? "Latchkey" },
    {
      name: "description",
      content:
        "A room that opens only for the holder of a key: pages, sound and a form behind a token in a wallet.",
    },
  ];
};

export default function LandingPage() {
  const root = useRouteLoaderData("root") as { hasReference: boolean } | undefined;
  return (
    <div className="prose">
      <h1>A room that opens for its key</h1>
      <p className="lead">
        Behind this door are words, sound and a form that only the holder of a key may have. The key is a
        token in a wallet; a signature proves that it is yours.
      </p>
      <div className="row">
        <ButtonLink to="/gate">Go to the door</ButtonLink>
      </div>
      <h2>How it works</h2>
      <ol className="steps">
        <li>
          <h3>Connect</h3>
          <p>Show the page your address. Nothing is loaded from elsewhere, and nothing can be moved.</p>
        </li>
        <li>
          <h3>Sign</h3>
          <p>Sign one message. It is good once, for this site, for a few minutes. It costs nothing.</p>
        </li>
        <li>
          <h3>Enter</h3>
          <p>The server asks the chain who holds the key now, and only then hands anything out.</p>
        </li>
      </ol>
      {root?.hasReference ? (
        <>
          <h2>Without a browser</h2>
          <p>
            Everything the page does goes through an open HTTP interface, described in{" "}
            <a href="/docs">the API reference</a>.
          </p>
        </>
      ) : null}
    </div>
  );
}
