import type { ApiRegistry, OperationDescription } from "~/platform/openapi/api-registry";
import { jsonContent, versionHeader } from "~/platform/openapi/json-content";
import { keyListSchema } from "./key-list.schema";
import type { KeyList } from "./key-list.schema";

export function describeKeys(api: ApiRegistry): void {
  api.describe(listKeysOperation);
}

const contract = "0x5fbdb2315678afecb367f032d93f642f64180aa3";
const coin = "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913";

const exampleKeys: KeyList = {
  keys: [
    {
      name: "founder",
      title: "Founder's key",
      standard: "erc721",
      chainId: 1,
      contract,
      also: {
        any: [
          { erc20: coin, chainId: 8453, atLeast: "2500000", label: "2.5 USDC on Base" },
          { secret: true },
        ],
      },
      opens: ["room", "tts"],
      get: { url: "https://shop.example/keys", text: "Buy one" },
    },
    {
      name: "guest",
      title: "Guests",
      standard: "membership",
      chainId: 1,
      requires: { list: true, label: "On the guest list" },
      opens: ["room"],
    },
  ],
};

export const listKeysOperation: OperationDescription = {
  method: "get",
  path: "/api/keys",
  operationId: "listKeys",
  tag: "Gate",
  summary: "List the kinds of keys",
  description:
    "Which keys open this gate, what each asks for besides and what it opens. Addresses on lists, and what the operator keeps secret, are not told. A gate with one kind lists that one.",
  limit: "keys",
  parameters: versionHeader,
  answers: {
    200: {
      description: "The kinds of keys.",
      headers: ["ETag"],
      content: jsonContent({ schema: keyListSchema, example: exampleKeys }),
    },
    304: {
      description: "The version named in If-None-Match is still the current one.",
      headers: ["ETag"],
    },
  },
};
