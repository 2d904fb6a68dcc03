/** What one chat request may hold; the page keeps within it, the server insists on it. */
export const maxMessages = 100;
/** Over all text parts of one message. */
export const maxMessageChars = 32_000;
export const maxRequestBytes = 256 * 1024;
/** Output is estimated, for the limit and for the quota alike: characters by four, rounded up. */
export const charsPerToken = 4;
