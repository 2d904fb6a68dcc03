/** A use-case as its callers see it: what it needs besides the request is given here, once. */
export function withDependencies<Request extends { dependencies: unknown }, Answer>(
  useCase: (request: Request) => Answer,
  dependencies: Request["dependencies"],
): (request: Omit<Request, "dependencies">) => Answer {
  return (request) => useCase({ ...request, dependencies } as Request);
}
