import { createContext, useContext } from "react";
import { hasAudioPart, missingSoundText } from "~/content/audio-part";
import type { GatedContent } from "~/content/content.schema";
import type { GateVisit } from "~/gate/session/visit";
import { Button } from "~/ui/button";
import { SessionBar } from "../entry/session-bar";
import { readSession } from "../gate-api";
import { capitalized, opensText } from "../kinds/key-words";
import type { SignedKey } from "../kinds/signed-key";
import { shortAddress } from "../wallet/address-text";
import roomStylesheetHref from "./room.css";

export function roomHeading({ words, vault }: SignedKey): string {
  return `You are in, with ${words}${vault === null ? "" : ` for ${shortAddress(vault)}`}`;
}

/** Some keys open other things than the room. */
export function NoRoom({ signedKey: { words, opens } }: { signedKey: SignedKey }) {
  return (
    <p className="notice tone-info">
      {capitalized(words)} does not open the room itself. It opens {opensText(opens)}.
    </p>
  );
}

/** In the form's place: sending it uses the key up. */
export function HolderOnly({ signedKey: { vault } }: { signedKey: SignedKey }) {
  return (
    <p className="notice tone-info">
      The form in this room is for the wallet that holds the key, not for its delegates. To send it, sign in
      as {vault === null ? "that wallet" : shortAddress(vault)}.
    </p>
  );
}

type ServedRoomProps = { served: Extract<GateVisit, { kind: "inside" }>; signedKey: SignedKey };

/** The room as the server draws it: its words and its sound. Styles, script and form need JavaScript. */
export function ServedRoom({ served, signedKey }: ServedRoomProps) {
  const { session, content } = served;
  const answer = readSession(session, 0);
  return (
    <section className="stack" aria-labelledby="room-heading">
      <link rel="stylesheet" href={roomStylesheetHref} />
      <div className="row room-head">
        <h2 id="room-heading">{roomHeading(signedKey)}</h2>
        <form method="post" action="/gate">
          <Button type="submit" tone="quiet">
            Sign out
          </Button>
        </form>
      </div>
      {answer.session ? <SessionBar session={answer.session} signedKey={signedKey} /> : null}
      {signedKey.opensRoom ? (
        <ServedContent content={content} signedKey={signedKey} />
      ) : (
        <NoRoom signedKey={signedKey} />
      )}
    </section>
  );
}

function ServedContent({ content, signedKey }: { content: GatedContent; signedKey: SignedKey }) {
  const { audioData } = content;
  const hasForm = content.textSubmissionAreaHtml !== "" && signedKey.mayUse;
  return (
    <>
      <div className="served-room latchkey-room">
        <ServedWelcome source={content.welcomeText} />
        {hasAudioPart(audioData) ? (
          <section className="latchkey-audio" aria-label={audioData.headline || audioData.title || "Audio"}>
            {audioData.imageSrc ? (
              <img className="latchkey-audio-image" src={audioData.imageSrc} alt={audioData.imageAlt} />
            ) : null}
            <div className="latchkey-audio-text">
              {audioData.headline ? <h2>{audioData.headline}</h2> : null}
              {audioData.description ? <p>{audioData.description}</p> : null}
              {audioData.error ? (
                <p>{missingSoundText}</p>
              ) : (
                // eslint-disable-next-line jsx-a11y/media-has-caption -- An operator's sound has none; words beside it tell.
                <audio controls preload="metadata" src={audioData.audioSrc} />
              )}
              {audioData.title ? <p className="latchkey-audio-title">{audioData.title}</p> : null}
            </div>
          </section>
        ) : null}
      </div>
      {content.textSubmissionAreaHtml && !signedKey.mayUse ? <HolderOnly signedKey={signedKey} /> : null}
      {hasForm || content.script ? (
        <noscript>
          <p className="notice tone-info">
            There is more in this room, and it needs JavaScript:{" "}
            {hasForm ? "the form, which your wallet signs" : ""}
            {hasForm && content.script ? ", and " : ""}
            {content.script ? "what the host has made for it" : ""}.
          </p>
        </noscript>
      ) : null}
    </>
  );
}

/** Only the server has one: what it has rendered and sanitised need not be sent a second time, as data. */
export const WelcomeRenderer = createContext<(source: string) => string>(() => "");

/** Inserted by the server alone. A browser takes it over, and sanitises what it draws itself. */
function ServedWelcome({ source }: { source: string }) {
  const __html = useContext(WelcomeRenderer)(source);
  return <div className="latchkey-welcome" suppressHydrationWarning dangerouslySetInnerHTML={{ __html }} />;
}
