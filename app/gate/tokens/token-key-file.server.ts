import { generateKeyPairSync, randomUUID } from "node:crypto";
import { link, mkdir, open, readFile, unlink } from "node:fs/promises";
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

/**
 * The key is written whole under a name of its own and then linked into place: linking never replaces, so
 * of several processes exactly one wins, and nobody can read a half-written file.
 */
async function placeNewKey(path: string): Promise<void> {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const draftPath = `${path}.${randomUUID()}.tmp`;
  const draft = await open(draftPath, "wx", 0o600);
  try {
    try {
      await draft.writeFile(privateKey.export({ type: "pkcs8", format: "pem" }));
      // Without it a power cut could leave the name in place with nothing behind it.
      await draft.sync();
    } finally {
      await draft.close();
    }
    await link(draftPath, path);
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  } finally {
    await unlink(draftPath);
  }
}

/**
 * The ES256 private key (PKCS#8 PEM) kept in `dataDir`, made on first use and readable by its owner only.
 * Processes that start at the same moment all get the same one.
 */
export async function getGeneratedKeyPem(dataDir: string): Promise<string> {
  const path = join(dataDir, keyFileName);
  try {
    const kept = await findKeyFile(path);
    if (kept !== null) return kept;
    await mkdir(dataDir, { recursive: true });
    await placeNewKey(path);
    return await readFile(path, "utf8");
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `The generated token key could not be kept at ${path} (${reason}). Make the folder writable, or set JWT_SECRET or JWT_PRIVATE_KEY.`,
      { cause },
    );
  }
}
