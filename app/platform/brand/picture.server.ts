/** A picture of the operator's, as far as it has to be understood to be shown safely and without a jump. */
export type Picture = { bytes: Buffer; type: "image/svg+xml" | "image/png"; width: number; height: number };

const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** For `<img>` alone, where no script runs. The messages of its errors go on after the name of the setting. */
export function readPicture(bytes: Buffer): Picture {
  if (bytes.subarray(0, 8).equals(pngSignature)) return readPng(bytes);
  return readSvg(bytes);
}

function readPng(bytes: Buffer): Picture {
  if (bytes.length < 33 || bytes.toString("latin1", 12, 16) !== "IHDR") throw new Error("is a damaged PNG.");
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  if (width === 0 || height === 0) throw new Error("is a damaged PNG.");
  return { bytes, type: "image/png", width, height };
}

function readSvg(bytes: Buffer): Picture {
  const text = decode(bytes);
  // Declarations of entities are the only part of XML that can make a small file large.
  if (/<!(DOCTYPE|ENTITY)/i.test(text)) {
    throw new Error("must be an SVG without a DOCTYPE. Save it as plain SVG, or take the DOCTYPE out.");
  }
  const root = /^\s*(?:<\?xml[^>]*\?>)?(?:\s|<!--[\s\S]*?-->)*<svg(\s[^>]*)>/.exec(text)?.[1];
  if (root === undefined) throw new Error("must be an SVG or a PNG file.");
  const box = /\sviewBox\s*=\s*["']\s*([^"']*?)\s*["']/
    .exec(root)?.[1]
    ?.split(/[\s,]+/)
    .map(Number);
  const [, , width, height] = box ?? [];
  if (box?.length !== 4 || !width || !height || !(width > 0 && height > 0)) {
    throw new Error('must be an SVG with a viewBox, such as viewBox="0 0 64 64", so that it fits any size.');
  }
  if (!/\sxmlns\s*=\s*["']http:\/\/www\.w3\.org\/2000\/svg["']/.test(root)) {
    throw new Error('must be an SVG whose first element says xmlns="http://www.w3.org/2000/svg".');
  }
  return { bytes, type: "image/svg+xml", width, height };
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new Error("must be an SVG (as UTF-8 text) or a PNG file.", { cause });
  }
}
