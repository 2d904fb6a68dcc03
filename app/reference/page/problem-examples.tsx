import type { ProblemExample } from "../read-problems";

type Props = { examples: ProblemExample[]; hasReference: boolean };

export function ProblemExamples({ examples, hasReference }: Props) {
  return (
    <>
      <h2>For developers</h2>
      {examples.map(({ text, contentType, operations }) => (
        <div key={text} className="problem-example">
          <p>
            An answer, as <code>{contentType}</code>:
          </p>
          <pre className="code">{text}</pre>
          {hasReference && operations.length > 0 ? (
            <details>
              <summary>
                {operations.length === 1 ? "One operation answers" : `${operations.length} operations answer`}{" "}
                so
              </summary>
              <ul>
                {operations.map(({ id, method, path }) => (
                  <li key={id}>
                    <a href={`/docs#${id}`}>
                      {method} {path}
                    </a>
                  </li>
                ))}
              </ul>
            </details>
          ) : null}
        </div>
      ))}
    </>
  );
}
