import { searchResultSchema } from "~/tools/search-tool";
import type { SearchResult } from "~/tools/search-tool";
import { toSearchWords } from "~/knowledge/search-words";
import { cutText, isLongerThan } from "~/platform/text/well-formed-text";

const assistantIntroduction =
  "I am a retrieval-only assistant: I write nothing of my own, I quote what the operator of this site has published.";

const maxQuotes = 3;
const maxQuoteChars = 480;
/** Passages with far fewer of the question's words than the best one are omitted. The first may match by synonyms. */
const minShareOfBest = 0.6;

const greeting =
  /^(?:hi|hiya|hey|hello|howdy|greetings|good (?:morning|afternoon|evening|day)|hallo|moin|hola|bonjour|salut|ciao|ol[aá]|привет|你好|こんにちは)(?: (?:there|all|you|assistant|latchkey))?$/iu;
const thanks =
  /^(?:thanks?(?: you)?(?: (?:so|very) much| a lot)?|thx|cheers|danke|gracias|merci|great|ok(?:ay)?|bye|goodbye)$/iu;
const aboutItself =
  /^(?:help|who are you|what are you|what(?: can| do) you do|how (?:can|do) you (?:help|work)|are you (?:an? )?(?:ai|bot|human|robot|real))$/iu;

/** Null if the question needs a search. */
export function findSmallTalkReply(question: string): string | null {
  const said = question
    .normalize("NFKC")
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, " ")
    .trim();
  const invitation = "Ask me something, and I will look it up and name the page it comes from.";
  if (said === "") return `${assistantIntroduction} ${invitation}`;
  if (greeting.test(said)) return `Hello! ${assistantIntroduction} ${invitation}`;
  if (aboutItself.test(said)) return `${assistantIntroduction} ${invitation}`;
  if (thanks.test(said)) return "You are welcome. Ask again whenever there is something to look up.";
  return null;
}

export const noSearchReply = `${assistantIntroduction} No search over documents is available here, so I have nothing to quote.`;

export function composeReply(question: string, { outputText, failed }: SearchOutcome): string {
  const result = failed ? null : readResult(outputText);
  if (!result)
    return `${assistantIntroduction} The search over the documents failed just now. Please ask again in a moment.`;
  const quotes = chooseQuotes(question, result);
  if (quotes.length === 0) {
    return `I found nothing about that in the documents of this site. ${assistantIntroduction} Other words may find it.`;
  }
  const sources = [...new Map(quotes.map(({ title, source }) => [source, title]))];
  return [
    `${assistantIntroduction} This is what fits your question best.`,
    ...quotes.map(
      ({ title, heading, text }) =>
        `**${heading === title ? title : `${title}: ${heading}`}**\n\n${toQuote(text)}`,
    ),
    `Sources: ${sources.map(([source, title]) => `${title} (${source})`).join("; ")}`,
  ].join("\n\n");
}

type SearchOutcome = { outputText: string; failed: boolean };
type Quote = { title: string; heading: string; source: string; text: string };

function readResult(outputText: string): SearchResult | null {
  try {
    return searchResultSchema.safeParse(JSON.parse(outputText)).data ?? null;
  } catch {
    return null;
  }
}

function chooseQuotes(question: string, result: SearchResult): Quote[] {
  const words = new Set(toSearchWords(question));
  // Scores depend on the store: ranks in one, similarities in another.
  const held = result.matches.map(({ metadata: { title, heading, text } = {} }) =>
    countWords([title, heading, text].filter((part) => typeof part === "string").join(" "), words),
  );
  const best = Math.max(0, ...held);
  return result.matches
    .filter((_match, index) => index === 0 || held[index]! >= best * minShareOfBest)
    .slice(0, maxQuotes)
    .flatMap(({ id, metadata: { text, title, heading, source } = {} }) => {
      if (typeof text !== "string" || text.trim() === "") return [];
      const shownTitle = typeof title === "string" && title !== "" ? title : id;
      return {
        title: shownTitle,
        heading: typeof heading === "string" ? heading : shownTitle,
        source: typeof source === "string" ? source : id,
        text: excerpt(text, words),
      };
    });
}

function countWords(text: string, words: ReadonlySet<string>): number {
  return new Set(toSearchWords(text).filter((word) => words.has(word))).size;
}

/** The paragraph with most of the question's words, and those after it that fit. */
function excerpt(text: string, words: ReadonlySet<string>): string {
  if (!isLongerThan(text, maxQuoteChars)) return text;
  const paragraphs = text.split(/\n{2,}/);
  const hits = paragraphs.map((paragraph) => countWords(paragraph, words));
  const from = hits.indexOf(Math.max(...hits));
  let chosen = paragraphs[from] ?? "";
  for (const paragraph of paragraphs.slice(from + 1)) {
    if (chosen.length + paragraph.length + 2 > maxQuoteChars) break;
    chosen = `${chosen}\n\n${paragraph}`;
  }
  return isLongerThan(chosen, maxQuoteChars) ? cutAtWord(chosen) : chosen;
}

function cutAtWord(text: string): string {
  const cut = cutText(text, maxQuoteChars);
  const at = Math.max(cut.lastIndexOf(" "), cut.lastIndexOf("\n"));
  return `${(at > maxQuoteChars / 2 ? cut.slice(0, at) : cut).trimEnd()} …`;
}

function toQuote(text: string): string {
  const lines = text.split("\n");
  return lines.map((line) => (line === "" ? ">" : `> ${line}`)).join("\n");
}
