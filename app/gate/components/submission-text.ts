/** Prefix the server gives every name of the operator's form. */
const namePrefix = "room-";

/**
 * What the visitor wrote, as the one text that is signed and sent. A form with only a message sends just that;
 * one with more fields sends each as a line `name: value`, the message last and below.
 */
export function submissionText(fields: Iterable<readonly [name: string, value: string]>): string {
  const answers: string[] = [];
  let message = "";
  for (const [name, value] of fields) {
    const plainName = name.startsWith(namePrefix) ? name.slice(namePrefix.length) : name;
    const trimmed = value.replace(/\r\n?/g, "\n").trim();
    if (trimmed === "") continue;
    if (plainName === "message") message = message === "" ? trimmed : `${message}\n${trimmed}`;
    else answers.push(`${plainName}: ${trimmed}`);
  }
  return [answers.join("\n"), message].filter(Boolean).join("\n\n");
}
