/** What one chat request may hold; the page keeps within it, the server insists on it. */
export const maxMessages = 100;
/** Over all text parts of one message. What its tool calls hold beyond as many is cut. */
export const maxMessageChars = 32_000;
export const maxRequestBytes = 256 * 1024;
/** Members and elements in all, those in what tools answered included. */
export const maxRequestValues = 10_000;
/** Over all messages. */
export const maxParts = 1_000;
/** Output is estimated, for the limit and for the quota alike: characters by four, rounded up. */
export const charsPerToken = 4;
