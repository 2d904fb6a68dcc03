import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { BillOfMaterials } from "./bill-of-materials";

type Severity = "moderate" | "high";
type Locked = {
  name?: string;
  version: string;
  dev?: boolean;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
};

function runCommand({
  file,
  parameters = [],
  env = {},
}: {
  file: string;
  parameters?: string[];
  env?: object;
}) {
  const all = ["--import", "tsx", file, ...parameters];
  const options = { env: { ...process.env, ...env }, timeout: 60_000 };
  return new Promise<{ code: number; said: string }>((resolve) => {
    const child = execFile(process.execPath, all, options, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, said: `${stdout}${stderr}` }),
    );
  });
}

/** The locations of all production packages, resolved as Node does from one package to the next. */
function followDependencies(packages: Record<string, Locked>): Set<string> {
  const found = new Set<string>();
  const open = [""];
  for (let from = open.pop(); from !== undefined; from = open.pop()) {
    const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = packages[from]!;
    const peers = Object.keys(peerDependencies ?? {}).filter(
      (name) => !peerDependenciesMeta?.[name]?.optional,
    );
    for (const name of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]) {
      const folders = from
        .split("/node_modules/")
        .map((_, index, all) => all.slice(0, index + 1).join("/node_modules/"));
      const location = [
        ...folders.reverse().map((folder) => `${folder}/node_modules/${name}`),
        `node_modules/${name}`,
      ].find((candidate) => candidate in packages);
      // Optional packages of other platforms may be missing.
      if (!location || found.has(location)) continue;
      found.add(location);
      open.push(location);
    }
  }
  return found;
}

function spellPackage(location: string, packages: Record<string, Locked>): string {
  const { name, version } = packages[location]!;
  return `${name ?? location.split("node_modules/").at(-1)}@${version}`;
}

/** A registry that answers audits with one advisory, or refuses them as some mirrors do. */
async function startRegistry({ severity, status = 200 }: { severity?: Severity; status?: number }) {
  const asked: string[] = [];
  const advisory = {
    id: 1,
    url: "https://advisories.example/1",
    title: "A fault",
    severity,
    vulnerable_versions: "*",
    cwe: [],
    cvss: { score: 9, vectorString: null },
  };
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    request.resume();
    const isAudit = request.url?.endsWith("/security/advisories/bulk");
    response.writeHead(isAudit ? status : 404, { "Content-Type": "application/json" });
    response.end(JSON.stringify(isAudit && severity ? { express: [advisory] } : {}));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const cache = mkdtempSync(path.join(os.tmpdir(), "latchkey-npm-"));
  onTestFinished(() => rmSync(cache, { recursive: true, force: true }));
  const env = {
    npm_config_registry: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    npm_config_fetch_retries: "0",
    // npm caches advisories by number.
    npm_config_cache: cache,
  };
  return { asked, env };
}

test.each([
  { severity: undefined, code: 0, words: "0 high or critical, 0 lesser findings." },
  { severity: "moderate", code: 0, words: "0 high or critical, 2 lesser findings." },
  { severity: "high", code: 1, words: "2 high or critical, 0 lesser findings." },
] as const)(
  "an audit whose gravest finding is $severity ends with $code",
  async ({ severity, code, words }) => {
    const { asked, env } = await startRegistry({ severity });
    const audit = await runCommand({ file: "e2e/repository/audit.ts", env });
    expect(audit.said).toContain(words);
    if (severity)
      expect(audit.said).toContain(`${severity}: express (A fault, https://advisories.example/1)`);
    expect(audit.code).toBe(code);
    expect(asked[0]).toBe("POST /-/npm/v1/security/advisories/bulk");
  },
);

test("a registry that does not answer audits is reported, and nothing passes as checked", async () => {
  const { env } = await startRegistry({ status: 405 });
  const audit = await runCommand({ file: "e2e/repository/audit.ts", env });
  expect(audit.said).toMatch(/The registry could not be asked: .*\nNothing was checked\./);
  expect(audit.said).toContain("405");
  expect(audit.code).toBe(2);
});

test("the bill of materials lists exactly what production installs by the lockfile, with its digests", async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "latchkey-sbom-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, "bill.json");
  // Nothing listens there, because the lockfile is enough.
  const env = { npm_config_registry: "http://127.0.0.1:9/" };
  const { code, said } = await runCommand({ file: "e2e/repository/sbom.ts", parameters: [file], env });
  expect([code, said]).toEqual([0, expect.stringContaining("components in")]);
  const text = readFileSync(file, "utf8");
  const bill = JSON.parse(text) as BillOfMaterials;
  const project = JSON.parse(readFileSync("package.json", "utf8")) as {
    version: string;
    dependencies: Record<string, string>;
  };
  expect(bill).toMatchObject({ bomFormat: "CycloneDX", specVersion: "1.5" });
  expect(bill.metadata.component).toMatchObject({
    name: "latchkey",
    version: project.version,
    type: "application",
    purl: `pkg:npm/latchkey@${project.version}`,
  });

  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as {
    packages: Record<string, Locked>;
  };
  const needed = [...followDependencies(packages)].map((location) => spellPackage(location, packages));
  const listed = new Set(bill.components.map(({ purl }) => decodeURIComponent(purl.replace("pkg:npm/", ""))));
  expect(needed.length).toBeGreaterThan(Object.keys(project.dependencies).length);
  expect(needed.filter((one) => !listed.has(one))).toEqual([]);
  // One version can be installed in two places, one of them for production.
  const rest = Object.keys(packages).filter((location) => !packages[location]!.dev);
  const production = new Set(rest.map((location) => spellPackage(location, packages)));
  expect([...listed].filter((one) => !production.has(one))).toEqual([]);
  for (const tool of ["vitest@", "eslint@", "@playwright/test@"])
    expect(
      [...listed].some((one) => one.startsWith(tool)),
      tool,
    ).toBe(false);
  expect(JSON.stringify(bill.dependencies)).not.toContain('"vitest@');
  for (const component of bill.components) {
    expect(component.purl, component.name).toMatch(/^pkg:npm\/.+@\d/);
    expect(component, component.name).toMatchObject({
      hashes: [{ alg: "SHA-512", content: expect.stringMatching(/^[0-9a-f]{128}$/) as string }],
    });
  }
  // The bill leaks neither this machine's folders nor its registry.
  expect(text).not.toContain(process.cwd());
  expect(text).not.toContain("127.0.0.1:9");
});
