import type { ApiRegistry, OperationDescription } from "~/platform/openapi/api-registry";
import { respondsJson, jsonContent } from "~/platform/openapi/json-content";
import * as z from "zod";
import { faucetRequestSchema, rpcRequestSchema } from "./demo.schema";

const tag = "Demo";
const wallet = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";

/** The same rule, without the null that OpenAPI 3.0 can't combine with other types. */
const documentedRpcRequest = rpcRequestSchema
  .extend({
    id: z.union([z.string(), z.number()]).optional(),
    params: z.array(z.unknown()).optional().meta({ type: "array", items: {} }),
  })
  .meta({ id: "RpcRequest" });

export function describeDemo(api: ApiRegistry): void {
  api.addTag({ name: tag, description: "The demo's own chain, where everything is worthless." });
  api.describe(fillWalletOperation);
  api.describe(askDemoChainOperation);
}

const fauceted = { schema: faucetRequestSchema.meta({ id: "FaucetRequest" }), example: { address: wallet } };

export const fillWalletOperation: OperationDescription = {
  method: "post",
  path: "/demo/faucet",
  operationId: "fillWallet",
  tag,
  summary: "Get test money",
  description:
    "Fills a wallet with worthless money of the demo's chain, so that it can pay for minting, or gives it some of a token that a key asks for.",
  body: { required: true, content: jsonContent(fauceted) },
  answers: respondsJson("The wallet is filled.", fauceted),
};

export const askDemoChainOperation: OperationDescription = {
  method: "post",
  path: "/demo/rpc",
  operationId: "askDemoChain",
  tag,
  summary: "Ask the demo's chain",
  description: "JSON-RPC to the demo's chain: reading, and sending what a wallet has signed.",
  body: {
    required: true,
    content: jsonContent({
      schema: documentedRpcRequest,
      example: { jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] },
    }),
  },
  answers: respondsJson("The chain's answer, an error of its own included.", {
    schema: z.looseObject({}).meta({ id: "RpcAnswer", type: "object", additionalProperties: true }),
    example: { jsonrpc: "2.0", id: 1, result: "0x7a69" },
  }),
};
