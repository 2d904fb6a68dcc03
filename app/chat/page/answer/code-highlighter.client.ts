import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import json from "highlight.js/lib/languages/json";
import python from "highlight.js/lib/languages/python";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";

const languages = { bash, css, diff, json, python, sql, typescript, xml };
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);

/** Languages that are close enough in comments, strings and keywords to be coloured as another one. */
const lookalikes = {
  bash: "console docker dockerfile dotenv env make shell",
  css: "scss",
  python: "ini nix perl r rb ruby toml yaml yml",
  typescript:
    "c cc cpp cs csharp dart go java javascript js json5 jsx kotlin mjs php rs rust scala sol solidity swift",
};
for (const [languageName, names] of Object.entries(lookalikes))
  hljs.registerAliases(names.split(" "), { languageName });

/** Colouring takes time with each piece that arrives. */
const maxChars = 20_000;

/** The code as escaped HTML with its colours; null for a language nobody knows. */
export function highlight(code: string, language: string): string | null {
  if (!hljs.getLanguage(language) || code.length > maxChars) return null;
  return hljs.highlight(code, { language }).value;
}
