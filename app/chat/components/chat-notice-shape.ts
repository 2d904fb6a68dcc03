/** Something that stands in the way: what happened in the server's own words, and what to do now. */
export type ChatNotice = {
  kind: "wait" | "quota" | "sign-in" | "offline" | "model" | "again" | "skip" | "final";
  title: string;
  detail: string | null;
  remedy: string;
  /** By this device's clock; null when there is nothing to wait for. */
  retryAtMs: number | null;
};
