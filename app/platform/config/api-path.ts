import type { SettingReader } from "./setting-reader";
import type { SettingName } from "./settings";

/** A further address of a route. Without a slash at its end: the router takes one from what is asked for. */
export function readApiPath({ reader, name }: { reader: SettingReader; name: SettingName }): string {
  const text = reader.getText(name);
  if (!/^(?:\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+$/.test(text)) {
    reader.report(name, "must be a path such as /api/chat.");
  }
  return text;
}
