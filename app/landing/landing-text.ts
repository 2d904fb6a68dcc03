import type { RoomOutline } from "~/content/room-outline";
import type { PublicWalletSettings } from "~/platform/config/public-settings";

/** Null if there is no chat. */
export type ChatAudience = "holders" | "everybody" | null;
type Thing = { what: string; of: string; who: NonNullable<ChatAudience> };
type Step = { title: string; text: string };

const things: readonly [part: keyof RoomOutline, what: string, of: string][] = [
  ["hasText", "Words", "A welcome for holders. Some keys have their own."],
  ["hasSound", "Sound", "A recording to listen to, with its text to read along."],
  ["hasForm", "A form", "Send one message with your key."],
  ["hasScript", "Something live", "Something interactive, made by the site’s operator."],
];

/** Promises only the parts that the operator's folder has. */
export function listThings(outline: RoomOutline, chatFor: ChatAudience): Thing[] {
  const chat = "Answers questions from this place’s own documents, and shows where it found them.";
  const inside = things.filter(([part]) => outline[part]);
  return [
    ...inside.map(([, what, of]) => ({ what, of, who: "holders" }) as const),
    ...(chatFor ? [{ what: "A chat", of: chat, who: chatFor }] : []),
  ];
}

export function leadText(outline: RoomOutline): string {
  const names = things.filter(([part]) => outline[part]).map(([, what]) => what.toLowerCase());
  const proof = "The key is a token in a wallet; a signature proves that it is yours.";
  if (names.length === 0)
    return `Behind this gate is a room that only the holder of a key may enter. ${proof}`;
  const all = [names.slice(0, -1).join(", "), names.at(-1)].filter(Boolean).join(" and ");
  return `Behind this gate ${names.length === 1 && names[0] !== "words" ? "is" : "are"} ${all} that only the holder of a key may have. ${proof}`;
}

type WalletChoice = Pick<PublicWalletSettings, "walletConnect" | "base">;

export function defaultSteps({ walletConnect, base }: WalletChoice): Step[] {
  const elsewhere = [...(walletConnect ? ["WalletConnect"] : []), ...(base ? ["Base"] : [])].join(" or ");
  return [
    {
      title: "Connect",
      text: elsewhere
        ? `Connecting shares your address. It can't move anything, and loads nothing from other sites unless you choose ${elsewhere}.`
        : "Connecting shares your address. It can't move anything, and loads nothing from other sites.",
    },
    {
      title: "Sign",
      text: "Sign one message. It is valid once, for this site, for a few minutes. It costs nothing.",
    },
    {
      title: "Enter",
      text: "The server checks on chain who holds the key now, before it sends anything.",
    },
  ];
}
