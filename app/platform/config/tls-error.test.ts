import { expect, test } from "vitest";
import { describeTlsError } from "./tls-error";

const describe = (error: unknown) =>
  describeTlsError({ error, server: "Redis", setting: "STATE_WORKER_URL" });

test.each(["CERT_HAS_EXPIRED", "CERT_NOT_YET_VALID"])(
  "a certificate outside its validity is reported: %s",
  (code) => {
    expect(describe(Object.assign(new Error("no"), { code }))).toMatch(/has expired or is not valid yet/);
  },
);

test.each([Object.assign(new Error("no"), { code: "ECONNREFUSED" }), new Error("no"), null, undefined, "no"])(
  "an error that is not about a certificate is not described: %j",
  (error) => {
    expect(describe(error)).toBeNull();
  },
);
