import createClient from "openapi-fetch";
import type { Client } from "openapi-fetch";
import type { components, paths } from "./api-types";

export type ApiClient = Client<paths>;
export type ApiSchemas = components["schemas"];

/** Calls a gate with paths, bodies, answers and refusals typed as its API description has them. */
export function createApiClient({
  origin,
  accessToken,
}: {
  origin: string;
  /** Sent with every call; none for what is open to everybody. */
  accessToken?: string;
}): ApiClient {
  return createClient<paths>({
    baseUrl: origin,
    headers: accessToken === undefined ? {} : { Authorization: `Bearer ${accessToken}` },
  });
}
