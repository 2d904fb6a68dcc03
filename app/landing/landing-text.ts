import type { RoomOutline } from "~/content/room-outline";
import type { PublicWalletSettings } from "~/platform/config/public-settings";

/** null: there is none. */
export type ChatAudience = "holders" | "everybody" | null;
type Thing = { what: string; of: string; who: NonNullable<ChatAudience> };
type Step = { title: string; text: string };

const things: readonly [part: keyof RoomOutline, what: string, of: string][] = [
  ["hasText", "Words", "A welcome for those who hold a key; some keys have one of their own."],
  ["hasSound", "Sound", "A recording to listen to, with its text to read along."],
  ["hasForm", "A form", "One message from each key to whoever runs this site. A key can send it once."],
  ["hasScript", "Something live", "Something interactive, made by whoever runs this site."],
];

/** What the page may promise: only what the operator's folder holds, and the chat. */
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
        ? `Show the page your address. Nothing can be moved, and nothing is loaded from elsewhere unless you choose ${elsewhere}.`
        : "Show the page your address. Nothing is loaded from elsewhere, and nothing can be moved.",
    },
    {
      title: "Sign",
      text: "Sign one message. It is valid once, for this site, for a few minutes. It costs nothing.",
    },
    {
      title: "Enter",
      text: "The server asks the chain who holds the key now, and only then hands anything out.",
    },
  ];
}
