// For postgresql.sh: what the server's own driver reads in an address, as PostgreSQL's tools have to be told it. They
// read the words about encryption otherwise, and would verify less, or go on in clear. Prints one part:
// ADDRESS=… node docs/postgresql-address.mjs password|place|connection <an empty folder>
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { rootCertificates } from "node:tls";
import { URLSearchParams } from "node:url";
import pg from "pg";

const { ADDRESS: address, NODE_EXTRA_CA_CERTS: furtherAuthorities } = process.env;

function readAddress() {
  const [, place = "", name = ""] = /^\w+:\/\/([^/?#]*)(?:\/([^?#]*))?/.exec(address) ?? [];
  if (name === "") throw new Error("names no database");
  // What it says is not repeated: it holds a part of the password.
  if (name.includes("@") && !place.includes("@")) throw new Error("cannot be read");
  try {
    return new pg.Client({ connectionString: address });
  } catch (error) {
    throw new Error(`cannot be used as it is: ${error.message}`, { cause: error });
  }
}

/** What the tools call it; none of these tries a second time in clear. */
function nameMode(ssl) {
  if (ssl === false) return "disable";
  if (typeof ssl === "string") throw new Error("has an ssl= that means nothing: write sslmode=verify-full");
  if (ssl.rejectUnauthorized === false) return "require";
  return ssl.checkServerIdentity === undefined ? "verify-full" : "verify-ca";
}

/** One file is all that the tools look into, so whatever this machine's Node knows goes there. */
function listAuthorities(ssl) {
  if (ssl.ca) return ssl.ca;
  try {
    const further = furtherAuthorities ? readFileSync(furtherAuthorities, "utf8") : "";
    return [...rootCertificates, further].join("\n");
  } catch (error) {
    throw new Error(`needs what NODE_EXTRA_CA_CERTS names: ${error.message}`, { cause: error });
  }
}

function describeConnection({ client, folder }) {
  const { host, port, user, database, ssl, connectionParameters } = client;
  const written = Object.fromEntries(new URLSearchParams(/\?([^#]*)/s.exec(address)?.[1]));
  const inFolder = (name) => path.resolve(folder, name);
  const sslmode = nameMode(ssl);
  // Where there is such a file, `require` verifies as well.
  if (sslmode.startsWith("verify-")) writeFileSync(inFolder("authorities.pem"), listAuthorities(ssl));
  const parts = {
    host,
    port,
    user,
    dbname: database,
    options: connectionParameters.options,
    sslmode,
    sslrootcert: inFolder("authorities.pem"),
    // What the address does not name is not there: the tools would look into the user's own folder.
    sslcert: path.resolve(written.sslcert || inFolder("no-certificate")),
    sslkey: path.resolve(written.sslkey || inFolder("no-key")),
    passfile: inFolder("no-passwords"),
    // It would come before TLS, whatever is asked of that.
    gssencmode: "disable",
  };
  return Object.entries(parts)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}='${String(value).replace(/[\\']/g, "\\$&")}'`)
    .join(" ");
}

const [part, folder] = process.argv.slice(2);
try {
  const client = readAddress();
  const tell = {
    password: () => client.password ?? "",
    place: () => `${client.host}:${client.port}`,
    connection: () => describeConnection({ client, folder }),
  };
  console.log(tell[part]());
} catch (error) {
  console.error(`DATABASE_URL ${error.message.replace(/\.$/, "")}. Nothing was done.`);
  process.exitCode = 1;
}
