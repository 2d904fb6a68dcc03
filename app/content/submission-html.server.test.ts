import { expect, test } from "vitest";
import { hostileMarkup } from "~e2e/support/hostile-markup";
import { sanitizeSubmissionHtml } from "./submission-html.server";

test("an ordinary form is kept, with prefixed names that still match each other", () => {
  const html = sanitizeSubmissionHtml(`
    <form id="f" autocomplete="off">
      <h2 class="title">Guest book</h2>
      <p id="hint">One line, <em>please</em>.</p>
      <label for="line">Your line</label>
      <textarea id="line" name="message" rows="3" maxlength="200" required aria-describedby="hint  count"></textarea>
      <output id="count" for="line name">0</output>
      <input id="name" name="name" list="names" placeholder="Name"><datalist id="names"><option value="Ann"></datalist>
      <ul><li><a href="https://example.org/a?b=1&amp;c=2">a link</a></li><li><a href="#hint">up</a></li></ul>
      <button type="submit" form="f">Sign</button>
    </form>`);
  expect(html.replace(/\n\s+/g, "\n")).toBe(
    `<form id="room-f" autocomplete="off" method="post">
<h2 class="title">Guest book</h2>
<p id="room-hint">One line, <em>please</em>.</p>
<label for="room-line">Your line</label>
<textarea id="room-line" name="room-message" rows="3" maxlength="200" required aria-describedby="room-hint room-count"></textarea>
<output id="room-count" for="room-line room-name">0</output>
<input id="room-name" name="room-name" list="room-names" placeholder="Name" /><datalist id="room-names"><option value="Ann"></option></datalist>
<ul><li><a href="https://example.org/a?b=1&amp;c=2" target="_blank" rel="noopener noreferrer nofollow">a link</a></li><li><a href="#room-hint">up</a></li></ul>
<button type="submit" form="room-f">Sign</button>
</form>`,
  );
});

test.each(hostileMarkup.map((markup) => [markup]))("nothing dangerous is left of %s", (markup) => {
  const html = sanitizeSubmissionHtml(`<p>before</p>${markup}`);
  expect(html).toContain("<p>before</p>");
  // Outside of escaped text, a tag or attribute of these kinds must not exist.
  const tags = html.match(/<[^>]*>/g) ?? [];
  for (const tag of tags) {
    const bareTag = tag.replace(/"[^"]*"/g, '""');
    expect(tag).toMatch(/^<\/?[a-z][a-z0-9]*(?: [a-z-]+(?:="[^"<>]*")?)*(?: \/)?>$/);
    expect(tag).not.toMatch(
      /^<\/?(?:script|style|link|meta|base|iframe|frame|object|embed|svg|math|img|video|audio|source|template|noscript|xmp|plaintext|body|html|x)\b/,
    );
    expect(bareTag).not.toMatch(
      / (?:on[a-z]+|style|src|srcset|action|formaction|ping|autofocus|is|slot|popover[a-z]*|contenteditable)\b/,
    );
    expect(tag).not.toMatch(/(?:javascript|vbscript|data)\s*:/i);
    for (const [, value = ""] of tag.matchAll(/ (?:id|name|for|form|list)="([^"]*)"/g)) {
      expect(value).toMatch(/^room-/);
    }
  }
});

test("sanitising twice changes nothing", () => {
  for (const markup of hostileMarkup) {
    const once = sanitizeSubmissionHtml(markup);
    expect(sanitizeSubmissionHtml(once)).toBe(once);
  }
});

test("a form has no action and posts, so that what is typed stays out of addresses", () => {
  expect(
    sanitizeSubmissionHtml('<form action="https://evil.example/" method="get" target="_top"></form>'),
  ).toBe('<form method="post"></form>');
});

test.each(["password", "file", "image", "unknown"])(
  "an input of type %s becomes a plain text input",
  (type) => {
    expect(sanitizeSubmissionHtml(`<input type="${type}" name="a">`)).toBe('<input name="room-a" />');
  },
);

test("empty values and hidden parts stay what they are", () => {
  const html = sanitizeSubmissionHtml('<p hidden>x</p><select><option value="">Choose</option></select>');
  expect(html).toBe("<p hidden>x</p><select><option value>Choose</option></select>");
});

test("text in a textarea stays text", () => {
  expect(sanitizeSubmissionHtml("<textarea>a &amp; b <b>c</b></textarea>")).toBe(
    "<textarea>a &amp; b &lt;b&gt;c&lt;/b&gt;</textarea>",
  );
});

test("thousands of nested elements are sanitised without an error", () => {
  expect(sanitizeSubmissionHtml("<div>".repeat(10_000) + "deep")).toContain("deep");
});
