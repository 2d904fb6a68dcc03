import type { Token, Tokens } from "marked";
import { Fragment, memo, useMemo } from "react";
import type { ReactNode } from "react";
import { CodeBlock } from "./code-block";
import { decodeEntities, lexMarkdown, toSafeHref } from "./markdown-blocks";

const lowestDepth = 6;

/** Markdown as elements, never as HTML: markup in a reply is text, images are links, and nothing is fetched. */
export function MessageMarkdown({ text, isGrowing = false }: { text: string; isGrowing?: boolean }) {
  const { blocks, definitions } = useMemo(() => lexMarkdown(text, isGrowing), [text, isGrowing]);
  const depths = blocks.map((block) => (block.type === "heading" ? (block.depth as number) : lowestDepth));
  const topDepth = Math.min(...depths);
  return (
    <div className="stack markdown">
      {blocks.map((block, index) => (
        <MarkdownBlock key={index} block={block} definitions={definitions} topDepth={topDepth} />
      ))}
    </div>
  );
}

type MarkdownBlockProps = { block: Token; definitions: string; topDepth: number };

/** Each frame of a growing reply brings new tokens, and the same text of most blocks. */
const MarkdownBlock = memo(
  function MarkdownBlock({ block, topDepth }: MarkdownBlockProps) {
    if (block.type !== "heading") return renderBlock(block, 0);
    return renderBlock({ ...block, level: (block as Tokens.Heading).depth - topDepth }, 0);
  },
  (before, after) =>
    before.block.raw === after.block.raw &&
    before.definitions === after.definitions &&
    before.topDepth === after.topDepth,
);

function renderBlock(token: Token, key: number): ReactNode {
  switch (token.type) {
    case "heading": {
      const { level = 3, depth, tokens } = token as Tokens.Heading & { level?: number };
      // A reply's highest headings come right below the page's own.
      const Level = (["h3", "h4", "h5", "h6"] as const)[level] ?? "h6";
      return (
        <Level key={key} className={`heading-${depth}`}>
          {renderInline(tokens)}
        </Level>
      );
    }
    case "paragraph":
      return <p key={key}>{renderInline(token.tokens)}</p>;
    case "code": {
      const { text, lang } = token as Tokens.Code;
      return (
        <CodeBlock key={key} code={text} language={/^[\w+#-]*/.exec(lang ?? "")?.[0].toLowerCase() ?? ""} />
      );
    }
    case "blockquote":
      return <blockquote key={key}>{(token.tokens ?? []).map(renderBlock)}</blockquote>;
    case "list": {
      const { ordered, start, items } = token as Tokens.List;
      const List = ordered ? "ol" : "ul";
      return (
        <List key={key} start={ordered ? Number(start) || 1 : undefined}>
          {items.map((item, index) => (
            <li key={index} className={item.task ? "task" : undefined}>
              {item.tokens.map(renderBlock)}
            </li>
          ))}
        </List>
      );
    }
    case "table":
      return <MarkdownTable key={key} {...(token as Tokens.Table)} />;
    case "hr":
      return <hr key={key} />;
    case "space":
    case "def":
      return null;
    case "html":
      return <p key={key}>{(token as Tokens.HTML).text.trim()}</p>;
    default:
      return <Fragment key={key}>{renderInline([token])}</Fragment>;
  }
}

function MarkdownTable({ header, rows }: Pick<Tokens.Table, "header" | "rows">) {
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- It scrolls, so the keyboard must get there.
    <div className="table-frame" role="group" aria-label="Table" tabIndex={0}>
      <table>
        <thead>
          <tr>{header.map(renderCell)}</tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>{row.map(renderCell)}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function renderCell({ header, align, tokens }: Tokens.TableCell, key: number): ReactNode {
  const style = align ? { textAlign: align } : undefined;
  const Cell = header ? "th" : "td";
  return (
    <Cell key={key} scope={header ? "col" : undefined} style={style}>
      {renderInline(tokens)}
    </Cell>
  );
}

function renderInline(tokens: readonly Token[] | undefined): ReactNode[] {
  return (tokens ?? []).map((token, key) => <Fragment key={key}>{renderInlineToken(token)}</Fragment>);
}

function renderInlineToken(token: Token): ReactNode {
  switch (token.type) {
    case "text":
      if (token.tokens) return renderInline(token.tokens);
      return decodeEntities(token.text as string);
    case "escape":
      return token.text as string;
    case "strong":
      return <strong>{renderInline(token.tokens)}</strong>;
    case "em":
      return <em>{renderInline(token.tokens)}</em>;
    case "del":
      return <del>{renderInline(token.tokens)}</del>;
    case "codespan":
      return <code>{token.text as string}</code>;
    case "br":
      return <br />;
    case "checkbox": {
      const isChecked = (token as { checked?: boolean }).checked === true;
      return (
        <span role="img" aria-label={isChecked ? "done: " : "not done: "}>
          {isChecked ? "☑ " : "☐ "}
        </span>
      );
    }
    case "link":
      return <SafeLink href={token.href as string}>{renderInline(token.tokens)}</SafeLink>;
    case "image":
      return (
        <SafeLink href={token.href as string}>
          Image: {(token.text as string) || (token.href as string)}
        </SafeLink>
      );
    case "html":
      return /^<br\s*\/?>$/i.test(token.text as string) ? <br /> : (token.text as string);
    default:
      return token.raw;
  }
}

function SafeLink({ href, children }: { href: string; children: ReactNode }) {
  const address = toSafeHref(href);
  if (address === null) return <>{children}</>;
  return (
    // The title shows the address, because the words may say anything.
    <a href={address} title={address} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}
