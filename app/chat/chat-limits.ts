/** What one chat request may hold; the page keeps within it, the server insists on it. */
export const maxMessages = 100;
/** In UTF-16 units, over all text parts of one message. */
export const maxMessageChars = 32_000;
export const maxRequestBytes = 256 * 1024;
