import { execFile } from "node:child_process";
import { accessSync, constants, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir, userInfo } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { chromium } from "@playwright/test";

const require = createRequire(import.meta.url);
const projectDir = fileURLToPath(new URL("../../..", import.meta.url));

export type BrowserLaunch = {
  /** The browser's origin, for people. */
  source: string;
  executablePath: string;
  args: string[];
  env: Record<string, string>;
};

/** Headless, without a window system, and without requests to the outside. */
const launchArgs = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // Journeys start audio without a gesture, and silently.
  "--autoplay-policy=no-user-gesture-required",
  "--mute-audio",
];

const systemBrowsers =
  process.platform === "darwin"
    ? [
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
        "/Applications/Chromium.app/Contents/MacOS/Chromium",
      ]
    : ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"].flatMap((name) =>
        ["/usr/bin", "/usr/local/bin", "/snap/bin"].map((folder) => path.join(folder, name)),
      );

const advice = `No Chromium was found for the browser tests. Any one of these helps:
  - set CHROMIUM_PATH to an installed Chrome or Chromium;
  - npx playwright install chromium        (downloads from Playwright's servers);
  - apt install chromium                   (Debian and Ubuntu, as root);
  - npm ci with development dependencies   (on Linux x64 the package @sparticuz/chromium brings one along).`;

/** The first Chromium found. Nothing is downloaded. */
export async function findBrowser(): Promise<BrowserLaunch> {
  const chosen = process.env.CHROMIUM_PATH;
  if (chosen) {
    if (!isExecutable(chosen)) throw new Error(`CHROMIUM_PATH is ${chosen}, which cannot be run.\n${advice}`);
    return launch({ source: "CHROMIUM_PATH", executablePath: chosen });
  }
  const playwrights = chromium.executablePath();
  if (isExecutable(playwrights)) return launch({ source: "Playwright", executablePath: playwrights });
  const system = systemBrowsers.find(isExecutable);
  if (system) return launch({ source: "the system", executablePath: system });
  const packed = await unpackBrowser();
  if (packed) return packed;
  throw new Error(advice);
}

function launch({
  source,
  executablePath,
  env = {},
}: Omit<BrowserLaunch, "args" | "env"> & { env?: object }) {
  const shared = { ...definedEnvironment(), FONTCONFIG_FILE: path.join(projectDir, "e2e/fonts.conf") };
  return { source, executablePath, args: launchArgs, env: { ...shared, ...env } };
}

/** The Chromium of an npm package, unpacked once into a folder for this user and version. */
async function unpackBrowser(): Promise<BrowserLaunch | null> {
  const packageDir = path.join(projectDir, "node_modules/@sparticuz/chromium");
  if (process.platform !== "linux" || process.arch !== "x64" || !existsSync(packageDir)) return null;
  const { version } = JSON.parse(readFileSync(path.join(packageDir, "package.json"), "utf8")) as {
    version: string;
  };
  const folder = path.join(tmpdir(), `latchkey-chromium-${version}-${userInfo().uid}`);
  if (!existsSync(folder)) await unpackInto(folder);
  const libraries = [path.join(folder, "al2023/lib"), process.env.LD_LIBRARY_PATH].filter(Boolean).join(":");
  return launch({
    source: `@sparticuz/chromium ${version}`,
    executablePath: path.join(folder, "chromium"),
    env: { LD_LIBRARY_PATH: libraries },
  });
}

/**
 * The package unpacks into its process's temp folder under fixed names, and reuses whatever is there. So it gets its
 * own process and folder, which gets its final name only when it is complete.
 */
async function unpackInto(folder: string): Promise<void> {
  const draft = `${folder}.${process.pid}`;
  mkdirSync(draft, { mode: 0o700 });
  try {
    const entry = pathToFileURL(require.resolve("@sparticuz/chromium")).href;
    const script = `const { default: chromium } = (await import(${JSON.stringify(entry)})); await (chromium.default ?? chromium).executablePath();`;
    await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script], {
      // This runtime's name makes the package unpack the shared libraries too.
      env: { ...process.env, TMPDIR: draft, AWS_EXECUTION_ENV: "AWS_Lambda_nodejs22.x" },
    });
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    // If another run was first, its folder is as good.
    if (!existsSync(folder)) throw error;
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function definedEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
