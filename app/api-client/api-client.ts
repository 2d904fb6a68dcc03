import createClient from "openapi-fetch";
import type { Client } from "openapi-fetch";
import type { components, paths } from "./api-types";

export type ApiClient = Client<paths>;
export type ApiSchemas = components["schemas"];

type ClientOptions = {
  origin: string;
  /** Sent with every call; none for what is open to everybody. */
  accessToken?: string;
};

/** Calls a gate with paths, bodies, answers and refusals typed as its API description has them. */
export function createApiClient({ origin: baseUrl, accessToken }: ClientOptions): ApiClient {
  const headers = accessToken === undefined ? {} : { Authorization: `Bearer ${accessToken}` };
  return createClient<paths>({ baseUrl, headers });
}
