import type { z } from "zod";

type ShapeIssue = { path: string; message: string };

/** More wouldn't help anybody. */
export const maxIssues = 20;

export function describeIssues(issues: z.ZodError["issues"]): ShapeIssue[] {
  return issues.slice(0, maxIssues).map(({ path, message }) => ({ path: path.join("."), message }));
}
