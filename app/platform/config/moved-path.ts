/** Paths by default, and where the operator wants them and what is below them. */
export type MovedPaths = Readonly<Record<string, string>>;

export function movePath(path: string, moved: MovedPaths): string {
  for (const [from, to] of Object.entries(moved)) {
    if (path === from || path.startsWith(`${from}/`)) return to + path.slice(from.length);
  }
  return path;
}
