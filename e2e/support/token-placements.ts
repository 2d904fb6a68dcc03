/** The parts of a request that can carry a token. */
export type PlacedToken = {
  headers: Record<string, string>;
  query: Record<string, string>;
  body: Record<string, unknown>;
};

type Placement = { location: string; place: (token: string) => Partial<PlacedToken> };

/** All places for a caller's token, in order of precedence, for all routes that take tokens. */
export const tokenPlacements: readonly Placement[] = [
  {
    location: "Authorization header",
    place: (token) => ({ headers: { authorization: `Bearer ${token}` } }),
  },
  { location: "body jwt", place: (token) => ({ body: { jwt: token } }) },
  { location: "body data.jwt", place: (token) => ({ body: { data: { jwt: token } } }) },
  {
    location: "cookie access_token",
    place: (token) => ({ headers: { cookie: `access_token=${token}` } }),
  },
  { location: "cookie jwt", place: (token) => ({ headers: { cookie: `jwt=${token}` } }) },
  { location: "query jwt", place: (token) => ({ query: { jwt: token } }) },
];

/** Several placements in one request. */
export function combinePlaced(parts: readonly Partial<PlacedToken>[]): PlacedToken {
  const cookies = parts.flatMap((part) => part.headers?.cookie ?? []);
  return {
    headers: {
      ...Object.assign({}, ...parts.map((part) => part.headers)),
      ...(cookies.length > 0 ? { cookie: cookies.join("; ") } : {}),
    },
    query: Object.assign({}, ...parts.map((part) => part.query)),
    body: Object.assign({}, ...parts.map((part) => part.body)),
  };
}
