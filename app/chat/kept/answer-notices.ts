/** How instances tell each other that an answer has changed in the store. Without it they look there now and then. */
export type AnswerNotices = {
  /** Something was appended, or a stop was asked for. May get lost. */
  tell: (replyIds: readonly string[]) => void;
  /** For as long as somebody here reads or writes the answer; what is given back ends it. */
  subscribe: (replyId: string, onNotice: () => void) => () => void;
};
