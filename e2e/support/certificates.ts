// Certificates for servers of tests, created on demand and removed with the test.
import { execFile } from "node:child_process";
import { chmod, chown, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { findOnPath } from "./debian-packages";

const run = promisify(execFile);

export const hasOpenssl = findOnPath("openssl") !== null;

/** For test files that need openssl. */
export function sayWithoutOpenssl(skipped: string): void {
  if (!hasOpenssl) console.warn(`\nSKIPPED: ${skipped}. There is no openssl on this machine.\n`);
}

export type Certificates = {
  /** The certificate authority that clients must trust. */
  authorityFile: string;
  /** For the name `localhost`, so not for the machine's IP address. */
  certificateFile: string;
  keyFile: string;
  /** It has signed no certificate of these servers. */
  otherAuthorityFile: string;
  /** Some servers refuse a key that others can read. */
  giveKeyTo: (owner: { uid: number; gid: number }) => Promise<void>;
  remove: () => Promise<void>;
};

export async function makeCertificates(): Promise<Certificates> {
  const dir = await mkdtemp(path.join(os.tmpdir(), "latchkey-certificates-"));
  // Servers with their own user must be able to read them.
  await chmod(dir, 0o755);
  const authority = await makeSelfSigned(dir, "authority");
  const other = await makeSelfSigned(dir, "other");
  const keyFile = path.join(dir, "server.key");
  const requestFile = path.join(dir, "server.csr");
  const certificateFile = path.join(dir, "server.crt");
  const extensionFile = path.join(dir, "server.ext");
  await writeFile(extensionFile, "subjectAltName=DNS:localhost\nextendedKeyUsage=serverAuth\n");
  const request = ["req", "-new", ...newKey, "-subj", "/CN=localhost", "-keyout", keyFile];
  await run("openssl", [...request, "-out", requestFile]);
  await run("openssl", [
    ...["x509", "-req", "-in", requestFile, "-CA", authority.certificateFile, "-CAkey", authority.keyFile],
    ...["-CAcreateserial", "-days", "1", "-extfile", extensionFile, "-out", certificateFile],
  ]);
  return {
    certificateFile,
    keyFile,
    authorityFile: authority.certificateFile,
    otherAuthorityFile: other.certificateFile,
    giveKeyTo: async ({ uid, gid }) => {
      if (process.getuid?.() === 0) await chown(keyFile, uid, gid);
    },
    remove: () => rm(dir, { recursive: true, force: true }),
  };
}

const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];

/** A self-signed certificate for a day. */
export async function makeSelfSigned(dir: string, commonName: string) {
  const keyFile = path.join(dir, `${commonName}.key`);
  const certificateFile = path.join(dir, `${commonName}.crt`);
  const subject = ["-subj", `/CN=${commonName}`];
  const request = ["req", "-x509", ...newKey, "-days", "1", ...subject, "-keyout", keyFile];
  await run("openssl", [...request, "-out", certificateFile]);
  return { keyFile, certificateFile };
}
