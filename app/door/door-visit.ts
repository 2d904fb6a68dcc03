/** What brought a visitor from a site to the gate's page. */
export type DoorVisit =
  /** An address on no site of ours, which leads nowhere. */
  | { kind: "wrong" }
  /** On the way in: `address` and `start` as the site wrote them; the names of the kinds of keys that open it. */
  | { kind: "arriving"; host: string; address: string; start: string; keyKinds: string[] }
  /** The site was left. */
  | { kind: "left"; host: string };
