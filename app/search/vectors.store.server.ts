import { createHash } from "node:crypto";
import { appendFile, mkdir, readdir, readFile, rename, rm, truncate, writeFile } from "node:fs/promises";
import path from "node:path";
import Sqlite from "libsql";

const digestBytes = 32;
/** Files of this search and of earlier versions. */
const searchFile = /^search(?:-\d+-[0-9a-f]+\.f32|\.db.*|\.json)$/;

type Row = { digest: string; vector: Float32Array };

/** One model's vectors, each after the SHA-256 of its text. Drops vectors of other models, and of texts not `used`. */
export async function openVectorFile(dataDir: string, model: string, used: ReadonlySet<string>) {
  const ending = `-${createHash("sha256").update(model).digest("hex").slice(0, 16)}.f32`;
  const fileOf = (dimension: number) => path.join(dataDir, `search-${dimension}${ending}`);
  const names = (await readdir(dataDir)).filter((name) => searchFile.test(name));
  const own = names.find((name) => name.endsWith(ending));
  let dimension = own === undefined ? null : Number(own.split("-")[1]);
  const rows = dimension === null ? [] : await readRows(fileOf(dimension), dimension);
  const kept = rows.filter(({ digest }) => used.has(digest));
  if (kept.length === 0) dimension = null;
  else if (kept.length < rows.length / 2) {
    await writeFile(`${fileOf(dimension!)}.new`, toBytes(kept), { mode: 0o600 });
    await rename(`${fileOf(dimension!)}.new`, fileOf(dimension!));
  }
  for (const name of names) if (dimension === null || name !== own) await rm(path.join(dataDir, name));

  async function add(made: readonly Row[]): Promise<void> {
    const [first] = made;
    if (!first) return;
    const { length } = first.vector;
    if (dimension !== null && length !== dimension) {
      throw new Error(
        `${model} makes vectors of ${length} numbers now, and made ${dimension} before. Run \`npm run index -- --rebuild\`.`,
      );
    }
    dimension = length;
    await appendFile(fileOf(length), toBytes(made), { mode: 0o600 });
  }

  return { vectors: new Map(kept.map(({ digest, vector }) => [digest, vector])), add };
}

/** Truncates an unfinished row. */
async function readRows(file: string, dimension: number): Promise<Row[]> {
  const { buffer } = new Uint8Array(await readFile(file));
  const rowBytes = digestBytes + dimension * 4;
  const count = Math.floor(buffer.byteLength / rowBytes);
  if (count * rowBytes < buffer.byteLength) await truncate(file, count * rowBytes);
  return Array.from({ length: count }, (_, at) => ({
    digest: Buffer.from(buffer, at * rowBytes, digestBytes).toString("base64"),
    vector: new Float32Array(buffer, at * rowBytes + digestBytes, dimension),
  }));
}

function toBytes(rows: readonly Row[]): Buffer {
  const parts = rows.flatMap(({ digest, vector }) => [
    Buffer.from(digest, "base64"),
    Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength),
  ]);
  return Buffer.concat(parts);
}

/** Null while another process embeds. SQLite's lock, which the system releases if the process is killed. */
export async function takeLock(dataDir: string): Promise<(() => void) | null> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const lock = new Sqlite(path.join(dataDir, "search.lock"), { timeout: 0 });
  try {
    lock.exec("BEGIN EXCLUSIVE");
    return () => void lock.close();
  } catch (error) {
    lock.close();
    if ((error as { code?: string }).code === "SQLITE_BUSY") return null;
    throw error;
  }
}
