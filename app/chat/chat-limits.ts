/** Limits of a chat request. The page keeps within them. */
export const maxMessages = 100;
/** In all text parts of one message. Its tool calls are cut to the same length. */
export const maxMessageChars = 32_000;
export const maxRequestBytes = 256 * 1024;
/** Members and elements in all, tool results included. */
export const maxRequestValues = 10_000;
/** In all messages. */
export const maxParts = 1_000;
/** Output tokens are estimated: characters by four, rounded up. */
export const charsPerToken = 4;
