/**
 * One thing an operator may set. `default` is the text an operator would write; a setting without one is unset unless the operator sets it.
 */
export type Setting = {
  name: string;
  group: SettingGroup;
  effect: string;
  default?: string;
  /** Never printed, not even in part. */
  secret?: boolean;
};

export type SettingGroup =
  | "Serving"
  | "Appearance"
  | "Chain and key"
  | "Gate"
  | "Access tokens"
  | "State"
  | "Limits"
  | "Notifications"
  | "Wallets"
  | "Conversation"
  | "Speech"
  | "Search"
  | "Tools"
  | "Payments"
  | "Operator"
  | "Tracing";
