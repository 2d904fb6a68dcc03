// Writes the types of the API's client from the description that the gate serves at /api/openapi.
import { writeFileSync } from "node:fs";
import { clientTypesFile, renderClientTypes } from "./client-types/render";

writeFileSync(clientTypesFile, await renderClientTypes());
