import { CodeText } from "~/ui/code-text";
import type { SchemaNode } from "../read-schema";

export function SchemaTree({ node }: { node: SchemaNode }) {
  const isPlainObject = node.type === "object" && node.children.length > 0;
  return <SchemaList nodes={isPlainObject ? node.children : [node]} />;
}

/** Also for parameters and headers, of which less is to be said. */
export function SchemaList({ nodes }: { nodes: Partial<SchemaNode>[] }) {
  return (
    <ul className="schema">
      {nodes.map(({ name, type, facts = [], isRequired, description, children = [] }, index) => (
        <li key={`${index}-${name}`}>
          <p className="schema-line">
            {name ? <code className="schema-name">{name}</code> : null}
            {type ? <span className="schema-type">{[type, ...facts].join(", ")}</span> : null}
            {isRequired ? <span className="schema-required">required</span> : null}
          </p>
          {description ? (
            <p className="schema-words">
              <CodeText text={description} />
            </p>
          ) : null}
          {children.length > 0 ? <SchemaList nodes={children} /> : null}
        </li>
      ))}
    </ul>
  );
}
