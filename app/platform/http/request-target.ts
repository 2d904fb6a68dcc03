import { normalizeHost } from "~/platform/config/domains";

/** `path`: path and query, as every route knows them. `server`: the question is about the server as a whole. */
export type RequestTarget =
  { kind: "path"; path: string } | { kind: "server" } | { kind: "fault"; detail: string };

const differingHosts =
  "The address in the request line and the Host header name different hosts. Send the same in both.";

/**
 * What stands between method and version (RFC 9112, 3.2). Two names for the host of one request are how a proxy and
 * the server behind it come to disagree, so a whole address has to name the host that the Host header names.
 */
export function readTarget(
  method: string | undefined,
  target: string,
  hostHeader: string | undefined,
): RequestTarget {
  if (target.startsWith("/")) {
    const isReadable = !/[#\u00a0]/.test(target);
    if (!isReadable) return { kind: "fault", detail: "The address has a character that none may have." };
    return { kind: "path", path: target };
  }
  if (target === "*") {
    if (method === "OPTIONS") return { kind: "server" };
    return { kind: "fault", detail: "Only OPTIONS can be asked of *. Ask for a path, such as /." };
  }
  const match = /^https?:\/\/([^/?#]*)([^#]*)/i.exec(target);
  if (!match) return { kind: "fault", detail: "The request names no path. Ask for one, such as /." };
  const [, authority = "", rest = ""] = match;
  const host = normalizeHost(authority);
  if (host === null || hostHeader === undefined || normalizeHost(hostHeader) !== host) {
    return { kind: "fault", detail: differingHosts };
  }
  return { kind: "path", path: rest.startsWith("/") ? rest : `/${rest}` };
}
