import type { LinksFunction, MetaFunction } from "@remix-run/node";
import { useLoaderData, useRouteLoaderData } from "@remix-run/react";
import type { loader as rootLoader } from "~/root";
import { getServices } from "~/services.server";
import { ButtonLink } from "~/ui/button";
import type { PublicSettings } from "~/platform/public-settings";
import { Door } from "~/ui/door";
import landingHref from "~/ui/landing.css";
import { defaultSteps, leadWords, listThings } from "~/content/landing-words";
import type { Step, Thing } from "~/content/landing-words";
import { describePage } from "~/ui/page-meta";

const defaultDescription = "A room that opens only for the holder of a key, which is a token in a wallet.";

export const links: LinksFunction = () => [{ rel: "stylesheet", href: landingHref }];

export const meta: MetaFunction<typeof loader, { root: typeof rootLoader }> = ({ matches }) => {
  const root = matches.find((match) => match.id === "root")?.data;
  return describePage({
    title: root?.settings.appName ?? "Latchkey",
    description: root?.brand.texts.description ?? defaultDescription,
  });
};

export async function loader() {
  const { config, content } = getServices();
  return { isChatForHolders: config.conversation.requiresJwt, outline: await content.readOutline() };
}

export default function LandingPage() {
  const { isChatForHolders, outline } = useLoaderData<typeof loader>();
  const root = useRouteLoaderData<typeof rootLoader>("root");
  if (!root) return null;
  const { settings, brand, origin, hasReference } = root;
  const { texts } = brand;
  return (
    <div className="landing">
      <section className="hero" aria-labelledby="headline">
        <div className="hero-row">
          <div className="hero-words">
            <h1 id="headline" lang={texts.headline && texts.lang}>
              {texts.headline ?? "A room that opens for its key"}
            </h1>
            <p className="hero-lead" lang={texts.lead && texts.lang}>
              {texts.lead ?? leadWords(outline)}
            </p>
            <div className="row">
              <ButtonLink to="/gate">Go to the door</ButtonLink>
              <ButtonLink to="/chat" tone="quiet">
                Ask about this place
              </ButtonLink>
            </div>
          </div>
          <Door />
        </div>
      </section>
      <Steps steps={texts.steps ?? defaultSteps(settings.wallets)} lang={texts.steps && texts.lang} />
      <Inventory things={listThings({ outline, isChatForHolders })} />
      <Visitors settings={settings} isChatForHolders={isChatForHolders} />
      <Promises />
      {hasReference ? <Programs origin={origin} /> : null}
    </div>
  );
}

function Steps({ steps, lang }: { steps: readonly Step[]; lang: string | undefined }) {
  return (
    <section className="band" aria-labelledby="how">
      <h2 id="how">How the door opens</h2>
      <ol className="bitting" lang={lang}>
        {steps.map(({ title, text }) => (
          <li key={title}>
            <h3>{title}</h3>
            <p>{text}</p>
          </li>
        ))}
      </ol>
    </section>
  );
}

function Inventory({ things }: { things: readonly Thing[] }) {
  return (
    <section className="band" aria-labelledby="inside">
      <h2 id="inside">What is behind it</h2>
      <ul className="inventory">
        {things.map(({ what, of, who }) => (
          <li key={what}>
            <h3>{what}</h3>
            <p>{of}</p>
            <p className="tag">for {who}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}

type VisitorsProps = { settings: PublicSettings; isChatForHolders: boolean };

function Visitors({ settings, isChatForHolders }: VisitorsProps) {
  const { mode, chainId, contractAddress, keyStandard, wallets } = settings;
  return (
    <section className="band visitors" aria-labelledby="visitors">
      <h2 id="visitors" className="visually-hidden">
        With a key and without
      </h2>
      <div>
        <h3>You hold a key</h3>
        <p>
          Bring the wallet it is in; any browser wallet will do. You sign a few lines of plain text, which
          costs nothing and allows nothing to be moved.
          {keyStandard === "unlock"
            ? " Keys of this place are memberships, and open it as long as they run."
            : ""}
        </p>
        <ButtonLink to="/gate">Open with your key</ButtonLink>
      </div>
      <div>
        <h3>You have no key yet</h3>
        <p>
          {mode === "demo"
            ? "This is the demonstration: at the door you can make yourself a key, free of charge, on a chain that lives on this server alone. You need no wallet for it; a test wallet is there."
            : "A key is a token of the contract below. Whoever holds one can give or sell it to you, and the room changes hands with it."}
        </p>
        <dl className="facts">
          <dt>Contract</dt>
          <dd>
            <code>{contractAddress}</code>
          </dd>
          <dt>Chain</dt>
          <dd>{chainId}</dd>
        </dl>
        {wallets.keyShopUrl ? (
          <a
            className="button button-quiet"
            href={wallets.keyShopUrl}
            target="_blank"
            rel="noopener noreferrer"
          >
            Get a key<span className="visually-hidden"> (opens in a new tab)</span>
          </a>
        ) : null}
        <p>
          {isChatForHolders ? (
            <>The door tells you what a wallet is and what it will ask.</>
          ) : (
            <>
              Until then, <a href="/chat">the companion</a> answers whoever asks.
            </>
          )}
        </p>
      </div>
    </section>
  );
}

function Promises() {
  return (
    <section className="band" aria-labelledby="promises">
      <h2 id="promises">What it does not want from you</h2>
      <ul className="promises">
        <li>
          <strong>No account.</strong> No name, no address, no password. The key is all there is.
        </li>
        <li>
          <strong>No third party.</strong> This page, its letters and its pictures come from this server
          alone.
        </li>
        <li>
          <strong>No payment.</strong> Opening the door sends nothing to the chain.
        </li>
        <li>
          <strong>No way around.</strong> When a key changes hands, the room closes for the one and opens for
          the other.
        </li>
      </ul>
    </section>
  );
}

function Programs({ origin }: { origin: string }) {
  return (
    <section className="band" aria-labelledby="programs">
      <h2 id="programs">For programs</h2>
      <p className="lead">Everything the page does goes through an open HTTP interface.</p>
      {/* Wider than a phone: who cannot swipe scrolls it with the keyboard. */}
      <pre
        className="sample"
        // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- It scrolls.
        tabIndex={0}
        role="region"
        aria-label="A request with an access token, for a shell"
      >
        <code>
          <span className="sample-comment"># What a key opens, with an access token in hand</span>
          {`\ncurl ${origin}/api/gate-access \\\n  --request POST \\\n  --header "Authorization: Bearer `}
          <span className="sample-name">$ACCESS_TOKEN</span>
          {`"`}
        </code>
      </pre>
      <p>
        <a href="/docs">The API reference</a> describes every address, to read and to try.
      </p>
    </section>
  );
}
