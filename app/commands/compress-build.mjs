// Compresses browser files once. File names have a digest, so existing results stay valid.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const isText = /\.(js|css|svg)$/;
const params = { [constants.BROTLI_PARAM_QUALITY]: 10 };

export async function compressBuild(folder) {
  const files = readdirSync(folder, { recursive: true }).filter((file) => isText.test(file));
  await Promise.all(
    files.map(async (name) => {
      const file = path.join(folder, name);
      if (existsSync(`${file}.gz`)) return;
      const bytes = readFileSync(file);
      writeFileSync(`${file}.br`, await promisify(brotliCompress)(bytes, { params }));
      writeFileSync(`${file}.gz`, await promisify(gzip)(bytes, { level: 9 }));
    }),
  );
}
