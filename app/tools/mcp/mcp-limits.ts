/** What one message may hold. */
export const maxBodyBytes = 256 * 1024;
/** Members and elements in all, the arguments' included. */
export const maxBodyValues = 5_000;
