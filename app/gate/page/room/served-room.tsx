import { createContext, useContext } from "react";
import type { ReactNode } from "react";
import { hasAudioPart, missingSoundText } from "~/content/audio-part";
import type { AudioData, GatedContent } from "~/content/content.schema";
import type { GateVisit } from "~/gate/session/visit";
import { Button } from "~/ui/button";
import { SessionBar } from "../entry/session-bar";
import { readSession } from "../gate-api";
import { capitalized, opensText } from "../kinds/key-words";
import type { SignedKey } from "../kinds/page-kind";
import { shortAddress } from "../wallet/address-text";
import roomStylesheetHref from "./room.css";

export function roomHeading({ words, vault }: SignedKey): string {
  return `You are in, with ${words}${vault === null ? "" : ` for ${shortAddress(vault)}`}`;
}

export function NoRoom({ signedKey: { words, opens } }: { signedKey: SignedKey }) {
  return (
    <p className="notice tone-info">
      {capitalized(words)} does not open the room itself. It opens {opensText(opens)}.
    </p>
  );
}

/** In place of the form. */
export function HolderOnly({ signedKey: { vault } }: { signedKey: SignedKey }) {
  return (
    <p className="notice tone-info">
      The form in this room is for the wallet that holds the key, not for its delegates. To send it, sign in
      as {vault === null ? "that wallet" : shortAddress(vault)}.
    </p>
  );
}

type ServedRoomProps = { served: Extract<GateVisit, { kind: "inside" }>; signedKey: SignedKey };

/** The server's rendering. Styles, script and form need JavaScript. */
export function ServedRoom({ served, signedKey }: ServedRoomProps) {
  const { session, content } = served;
  const { session: shown } = readSession(session, 0);
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
      {shown ? <SessionBar session={shown} signedKey={signedKey} /> : null}
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
        <AudioPart
          audio={audioData}
          player={
            // eslint-disable-next-line jsx-a11y/media-has-caption -- An operator's sound has none; words beside it tell.
            <audio controls preload="metadata" src={audioData.audioSrc} />
          }
        />
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

/** The sound with its picture and its words. */
export function AudioPart({ audio, player }: { audio: AudioData; player: ReactNode }) {
  if (!hasAudioPart(audio)) return null;
  const { headline, imageSrc, imageAlt, description, title, error } = audio;
  return (
    <section className="latchkey-audio" aria-label={headline || title || "Audio"}>
      {imageSrc ? <img className="latchkey-audio-image" src={imageSrc} alt={imageAlt} /> : null}
      <div className="latchkey-audio-text">
        {headline ? <h2>{headline}</h2> : null}
        {title ? <p className="latchkey-audio-title">{title}</p> : null}
        {error ? <p>{missingSoundText}</p> : player}
        {/* A text alternative. */}
        {description ? <p className="latchkey-audio-words">{description}</p> : null}
      </div>
    </section>
  );
}

/** On the server only, so that the rendered HTML is not sent again as data. */
export const WelcomeRenderer = createContext<(source: string) => string>(() => "");

/** The browser keeps the server's HTML, and sanitises its own rendering. */
function ServedWelcome({ source }: { source: string }) {
  const __html = useContext(WelcomeRenderer)(source);
  return <div className="latchkey-welcome" suppressHydrationWarning dangerouslySetInnerHTML={{ __html }} />;
}
