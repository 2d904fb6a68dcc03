/** No access token lives shorter or longer, a renewed one neither. */
export const tokenLifeSeconds = { min: 300, max: 86_400 } as const;
