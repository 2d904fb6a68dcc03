import { readFile } from "node:fs/promises";

export type Instruction = { name: string; text: string };

/** The Dockerfile's stages with their instructions. */
export async function readStages(): Promise<Instruction[][]> {
  const text = (await readFile("Dockerfile", "utf8")).replaceAll(/^#.*\n/gm, "").replaceAll("\\\n", " ");
  const instructions = text
    .split("\n")
    .map((line) => /^([A-Z]+) (.*)$/.exec(line))
    .flatMap((match) => (match ? [{ name: match[1]!, text: match[2]! }] : []));
  const stages: Instruction[][] = [];
  for (const instruction of instructions) {
    if (instruction.name === "FROM") stages.push([]);
    stages.at(-1)!.push(instruction);
  }
  return stages;
}
