import type { ReactNode } from "react";
import { ButtonLink } from "~/ui/button";
import { Facts } from "~/ui/facts";
import type { PageKinds } from "~/gate/page/kinds/page-kind";
import type { RoomOutline } from "~/content/room-outline";
import type { Brand } from "~/platform/brand/brand";
import type { PublicSettings } from "~/platform/config/public-settings";
import { DoorIllustration } from "./door-illustration";
import { KeyKinds } from "./key-kinds";
import { defaultSteps, leadText, listThings } from "./landing-text";
import type { ChatAudience } from "./landing-text";

type LandingPageProps = {
  settings: PublicSettings;
  kinds: PageKinds;
  texts: Brand["texts"];
  origin: string;
  outline: RoomOutline;
  chatFor: ChatAudience;
  hasReference: boolean;
};

export function LandingPage(props: LandingPageProps) {
  const { settings, kinds, texts, origin, outline, chatFor, hasReference } = props;
  return (
    <div className="landing">
      <section className="hero" aria-labelledby="headline">
        <div className="hero-row">
          <div className="hero-words stack">
            <h1 id="headline" lang={texts.headline && texts.lang}>
              {texts.headline ?? "A room that opens for its key"}
            </h1>
            <p className="lead" lang={texts.lead && texts.lang}>
              {texts.lead ?? leadText(outline)}
            </p>
            <div className="row">
              <ButtonLink to="/gate">Go to the gate</ButtonLink>
              {chatFor ? (
                <ButtonLink to="/chat" tone="quiet">
                  Ask about this place
                </ButtonLink>
              ) : null}
            </div>
          </div>
          <DoorIllustration />
        </div>
      </section>
      <Band id="how" title="How to get in">
        <ol className="bitting" lang={texts.steps && texts.lang}>
          {(texts.steps ?? defaultSteps(settings.wallets)).map(({ title, text }) => (
            <li key={title}>
              <h3>{title}</h3>
              <p className="soft">{text}</p>
            </li>
          ))}
        </ol>
      </Band>
      <Band id="inside" title="What a key opens">
        <ul className="inventory">
          {listThings(outline, chatFor).map(({ what, of, who }) => (
            <li key={what}>
              <h3>{what}</h3>
              <p className="soft">{of}</p>
              <p className="tag">for {who}</p>
            </li>
          ))}
        </ul>
      </Band>
      <Visitors settings={settings} kinds={kinds} chatFor={chatFor} />
      <Band id="promises" title="What you do not need">
        <ul className="promises">
          {promises.map(([what, why]) => (
            <li key={what}>
              <strong>{what}</strong> {why}
            </li>
          ))}
        </ul>
      </Band>
      {hasReference ? <Programs origin={origin} /> : null}
    </div>
  );
}

type BandProps = { id: string; title: string; children: ReactNode };

function Band({ id, title, children }: BandProps) {
  return (
    <section className="stack band" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

type VisitorsProps = Pick<LandingPageProps, "settings" | "kinds" | "chatFor">;

function Visitors({ settings, kinds, chatFor }: VisitorsProps) {
  const { mode, chainId, contractAddress, keyStandard, wallets } = settings;
  const hasSeveral = kinds.length > 1 || contractAddress === null;
  return (
    <section className="stack band visitors" aria-labelledby="visitors">
      <h2 id="visitors" className="visually-hidden">
        With a key and without
      </h2>
      <div className="prose">
        <h3>You hold a key</h3>
        <p>
          Connect the wallet that holds it; any browser wallet will do. You sign a few lines of plain text,
          which costs nothing and moves nothing.
          {keyStandard === "unlock"
            ? " Keys of this place are memberships: they open it until they expire."
            : ""}
        </p>
        <ButtonLink to="/gate">Open with your key</ButtonLink>
      </div>
      <div className="prose">
        <h3>You have no key yet</h3>
        <p>
          {mode === "demo"
            ? "This is a demo: at the gate you can make yourself a key, free of charge, on a test chain that runs on this server. You need no wallet of your own; a test wallet is there."
            : hasSeveral
              ? "What opens the room is below. A key that is a token can be given or sold to you; from then on it opens the room for you."
              : "A key is a token of the contract below. Whoever holds one can give or sell it to you; from then on it opens the room for you."}
        </p>
        {hasSeveral ? (
          <KeyKinds kinds={kinds} settings={settings} />
        ) : (
          <Facts rows={{ Contract: <code>{contractAddress}</code>, Chain: chainId }} />
        )}
        {wallets.keyShopUrl ? (
          <ButtonLink to={wallets.keyShopUrl} tone="quiet" isNewTab>
            Get a key
          </ButtonLink>
        ) : null}
        <p>
          {chatFor === "everybody" ? (
            <>
              The <a href="/chat">chat</a> needs no key.
            </>
          ) : (
            "The gate explains what a wallet is and what it will ask."
          )}
        </p>
      </div>
    </section>
  );
}

const promises = [
  ["No account.", "No name, no e-mail address, no password. The key is enough."],
  ["No third party.", "This page, its fonts and its pictures come from this server alone."],
  ["No payment.", "Signing in sends nothing to the chain."],
  [
    "No administrator.",
    "When a key changes hands, the room closes for the old holder and opens for the new one by itself.",
  ],
] as const;

function Programs({ origin }: { origin: string }) {
  return (
    <Band id="programs" title="For programs">
      <p className="lead">Everything these pages do goes through an open HTTP API.</p>
      <pre
        className="code sample"
        // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- It scrolls.
        tabIndex={0}
        role="region"
        aria-label="A request with an access token, for a shell"
      >
        <code>
          <span className="sample-comment"># The gated content, with an access token</span>
          {`\ncurl ${origin}/api/gate-access \\\n  --request POST \\\n  --header "Authorization: Bearer `}
          <span className="sample-name">$ACCESS_TOKEN</span>
          {`"`}
        </code>
      </pre>
      <p>
        <a href="/docs">The API reference</a> describes every operation, to read and to try.
      </p>
    </Band>
  );
}
