import { readFile } from "node:fs/promises";
import { parseEnv } from "node:util";
import { expect, test } from "vitest";
import { parseConfig } from "~/settings.server";
import { readAsDocker, readAsSystemd } from "~e2e/support/env-files";
import { listSettingsBlocks } from "./operations-fixture";

const filledIn: Record<string, string> = {
  "RPC_URL=https://…,https://…": "RPC_URL=https://first.example,https://second.example",
  "KEY_CONTRACT_ADDRESS=0x…": `KEY_CONTRACT_ADDRESS=0x${"12".repeat(20)}`,
  "JWT_SECRET=…": `JWT_SECRET=${"8f2c6b1e94d07a35".repeat(4)}`,
};

// Observed with Docker 28 and systemd 252.
test("comments behind values, quotes and blanks are read differently by the three readers", () => {
  const text = '# full\nA=https://x.example   # in turn\nB="a b"\n  C=x\nD=y  \n';
  expect(readAsDocker(text)).toEqual({ A: "https://x.example   # in turn", B: '"a b"', C: "x", D: "y  " });
  expect(readAsSystemd(text)).toEqual({ A: "https://x.example   # in turn", B: "a b", C: "x", D: "y" });
  expect(parseEnv(text)).toEqual({ A: "https://x.example", B: "a b", C: "x", D: "y" });
});

test.each(["README.md", "docs/deploying.md"])(
  "the settings of %s are read alike by Node, systemd and Docker, and start production",
  async (page) => {
    const [block, ...more] = listSettingsBlocks(await readFile(page, "utf8"));
    expect(more).toEqual([]);
    const lines = block!.split("\n").map((line) => filledIn[line] ?? line);
    expect(lines.join("")).not.toContain("…");
    const text = lines.join("\n");
    const values = { ...parseEnv(text) };
    expect(Object.keys(values).length).toBeGreaterThan(5);
    expect(readAsDocker(text)).toEqual(values);
    expect(readAsSystemd(text)).toEqual(values);
    const config = parseConfig({ LATCHKEY_MODE: "production", ...values });
    expect(config.warnings).toEqual([]);
    expect(config.chains[0]?.rpcUrls).toEqual(["https://first.example", "https://second.example"]);
  },
);
