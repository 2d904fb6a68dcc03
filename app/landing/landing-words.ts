import type { RoomOutline } from "~/content/room-outline";
import type { PublicWalletSettings } from "~/platform/public-settings";

export type Thing = { what: string; of: string; who: "holders" | "everybody" };
export type Step = { title: string; text: string };

const things: { part: keyof RoomOutline; short: string; what: string; of: string }[] = [
  {
    part: "hasText",
    short: "words",
    what: "Words",
    of: "A welcome for those who hold a key; some keys have one of their own.",
  },
  {
    part: "hasSound",
    short: "sound",
    what: "Sound",
    of: "A recording to listen to, with its text to read along.",
  },
  {
    part: "hasForm",
    short: "a form",
    what: "A form",
    of: "One message from each key to whoever runs this site. A key can send it once.",
  },
  {
    part: "hasScript",
    short: "something live",
    what: "Something live",
    of: "Something interactive, made by whoever runs this site.",
  },
];

/** What the page may promise: only what the operator's folder holds, and the chat. */
export function listThings(outline: RoomOutline, isChatForHolders: boolean): Thing[] {
  return [
    ...things
      .filter(({ part }) => outline[part])
      .map(({ what, of }) => ({ what, of, who: "holders" }) as const),
    {
      what: "A chat",
      of: "Answers questions from this place’s own documents, and shows where it found them.",
      who: isChatForHolders ? "holders" : "everybody",
    },
  ];
}

export function leadWords(outline: RoomOutline): string {
  const names = things.filter(({ part }) => outline[part]).map(({ short }) => short);
  const proof = "The key is a token in a wallet; a signature proves that it is yours.";
  if (names.length === 0)
    return `Behind this gate is a room that only the holder of a key may enter. ${proof}`;
  const all = [names.slice(0, -1).join(", "), names.at(-1)].filter(Boolean).join(" and ");
  return `Behind this gate ${names.length === 1 && names[0] !== "words" ? "is" : "are"} ${all} that only the holder of a key may have. ${proof}`;
}

export function defaultSteps({
  walletConnect,
  base,
}: Pick<PublicWalletSettings, "walletConnect" | "base">): Step[] {
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
      text: "Sign one message. It is good once, for this site, for a few minutes. It costs nothing.",
    },
    {
      title: "Enter",
      text: "The server asks the chain who holds the key now, and only then hands anything out.",
    },
  ];
}
