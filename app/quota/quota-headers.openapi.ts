type QuotaHeadersText = {
  /** The counted unit, such as "Characters". */
  counted: string;
  /** How `X-Quota-Remaining` counts this response. */
  thisAnswer: string;
  example: { limit: number; remaining: number };
};

export function describeQuotaHeaders({ counted, thisAnswer, example }: QuotaHeadersText) {
  return {
    "X-Quota-Limit": {
      description: `${counted} in one window; where the quota is in force.`,
      required: false,
      schema: { type: "integer", minimum: 1 },
      example: example.limit,
    },
    "X-Quota-Remaining": {
      description: `What is left of them, ${thisAnswer}.`,
      required: false,
      schema: { type: "integer", minimum: 0 },
      example: example.remaining,
    },
    "X-Quota-Reset": {
      description: "When the window ends, ISO 8601 in UTC; absent while no window is open.",
      required: false,
      schema: { type: "string" },
      example: "2026-01-16T09:30:00.000Z",
    },
  } as const;
}
