import { generateKeyPairSync, randomUUID } from "node:crypto";
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

const keyFileName = "jwt-key.pem";

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

async function findKeyFile(path: string): Promise<string | null> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  }
}

/** Written whole, then linked into place: linking never replaces, so of several processes exactly one wins. */
async function storeNewKey(path: string): Promise<void> {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const pem = privateKey.export({ type: "pkcs8", format: "pem" });
  const draftPath = `${path}.${randomUUID()}.tmp`;
  try {
    // Without flushing, a power cut could leave the name in place with nothing behind it.
    await writeFile(draftPath, pem, { flag: "wx", mode: 0o600, flush: true });
    await link(draftPath, path);
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  } finally {
    await rm(draftPath, { force: true });
  }
}

/** The ES256 key (PKCS#8 PEM), made on first use, readable by its owner only; one for all processes. */
export async function getGeneratedKeyPem(dataDir: string): Promise<string> {
  const path = join(dataDir, keyFileName);
  try {
    const kept = await findKeyFile(path);
    if (kept !== null) return kept;
    await mkdir(dataDir, { recursive: true });
    await storeNewKey(path);
    return await readFile(path, "utf8");
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `The generated token key could not be kept at ${path} (${reason}). Make the folder writable, or set JWT_SECRET or JWT_PRIVATE_KEY.`,
      { cause },
    );
  }
}
