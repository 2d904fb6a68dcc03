import * as yaml from "prettier/plugins/yaml";

export type YamlValue = string | number | boolean | null | YamlValue[] | { [name: string]: YamlValue };

type Node = { type: string; value?: string; children?: (Node | null)[] } | null;

/**
 * Reads YAML with the formatter's own parser. Anchors, tags and block texts are refused, because our files have none.
 */
export async function readYaml(text: string): Promise<YamlValue> {
  const root = (await yaml.parsers.yaml.parse(text, {} as never)) as Node;
  const [document, ...more] = root!.children!;
  if (more.length > 0) throw new Error("There is more than one document.");
  const [, body] = document!.children!;
  return toValue(body!.children![0] ?? null);
}

function toValue(node: Node): YamlValue {
  if (node === null) return null;
  const children = node.children ?? [];
  switch (node.type) {
    case "null":
      return null;
    case "plain":
      return readPlain(node.value!);
    case "quoteSingle":
    case "quoteDouble":
      return node.value!;
    case "sequence":
    case "flowSequence":
      return children.map(toItem);
    case "mapping":
    case "flowMapping": {
      const entries = children.map((item) => {
        const [key, value] = item!.children!;
        return [String(toItem(key!)), toItem(value ?? null)] as const;
      });
      const names = new Set(entries.map(([name]) => name));
      if (names.size !== entries.length) throw new Error(`A name stands twice: ${[...names].join(", ")}`);
      return Object.fromEntries(entries);
    }
    default:
      throw new Error(`This reader knows no ${node.type}.`);
  }
}

function toItem(node: Node): YamlValue {
  return toValue(node?.children?.[0] ?? null);
}

/** YAML's core schema, without kinds of numbers that these files don't use. */
function readPlain(text: string): YamlValue {
  if (/^(?:true|True|TRUE|false|False|FALSE)$/.test(text)) return text.toLowerCase() === "true";
  if (/^(?:~|null|Null|NULL|)$/.test(text)) return null;
  return /^[-+]?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
}
