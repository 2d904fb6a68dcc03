import { CodeText } from "~/ui/code-text";
import type { SchemaNode } from "../reference";

/** A schema as nested lists; every entry says its name, its type, and what holds for it. */
export function SchemaTree({ node }: { node: SchemaNode }) {
  const isPlainObject = node.type === "object" && node.children.length > 0;
  return isPlainObject ? (
    <SchemaList nodes={node.children} />
  ) : (
    <ul className="schema">
      <SchemaEntry node={node} />
    </ul>
  );
}

function SchemaList({ nodes }: { nodes: SchemaNode[] }) {
  return (
    <ul className="schema">
      {nodes.map((node, index) => (
        <SchemaEntry key={`${index}-${node.name}`} node={node} />
      ))}
    </ul>
  );
}

function SchemaEntry({ node }: { node: SchemaNode }) {
  const { name, type, isRequired, facts, description, children } = node;
  return (
    <li>
      <p className="schema-line">
        {name === null ? null : <code className="schema-name">{name}</code>}
        <span className="schema-type">{[type, ...facts].join(", ")}</span>
        {isRequired ? <span className="schema-required">required</span> : null}
      </p>
      {description === "" ? null : (
        <p className="schema-words">
          <CodeText text={description} />
        </p>
      )}
      {children.length > 0 ? <SchemaList nodes={children} /> : null}
    </li>
  );
}
