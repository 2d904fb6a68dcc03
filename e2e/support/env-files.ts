// How the three readers of a file with settings read one, for texts without escapes. Node's is `parseEnv`.

/** `docker run --env-file`: a value is everything after the first `=`, quotes and comments included. */
export function readAsDocker(text: string): Record<string, string> {
  const lines = text.split("\n").map((line) => line.trimStart());
  return Object.fromEntries(
    lines
      .filter((line) => line !== "" && !line.startsWith("#"))
      .map((line) => {
        const [, name, value] = /^([^=\s]+)=(.*)$/.exec(line) ?? [];
        if (name === undefined) throw new Error(`Docker takes no ${line}`);
        return [name, value!];
      }),
  );
}

/**
 * systemd's `EnvironmentFile=`: removes quotes around a value, over several lines as well, but keeps a comment after
 * it.
 */
export function readAsSystemd(text: string): Record<string, string> {
  const found = text.matchAll(/^[ \t]*(?:[#;].*|([^=\n]+)=[ \t]*(?:"([^"]*)"|'([^']*)'|(.*)))[ \t]*$/gm);
  const values: Record<string, string> = {};
  for (const [, name, double, single, plain] of found) {
    if (name === undefined) continue;
    if (plain?.includes("\\")) throw new Error("What systemd does to this is not known here.");
    values[name.trim()] = double ?? single ?? plain!.trimEnd();
  }
  return values;
}
