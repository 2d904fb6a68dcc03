/** How a visitor came from a site to the gate's page. */
export type DoorVisit =
  /** The address is on no site of ours. */
  | { kind: "wrong" }
  /** On the way in: `address` and `start` as the site wrote them; the names of the kinds of keys that open it. */
  | { kind: "arriving"; host: string; address: string; start: string; keyKinds: string[] }
  /** The visitor signed out of the site. */
  | { kind: "left"; host: string };
