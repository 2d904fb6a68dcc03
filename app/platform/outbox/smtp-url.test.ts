import { expect, test } from "vitest";
import { InvalidSetting } from "~/platform/config/setting";
import { readSmtpUrl } from "./outbox.settings";

test("host, port, credentials and TLS from the first byte are read", () => {
  expect(readSmtpUrl("smtps://me%40x.example:a%3Ab@mail.example:465")).toMatchObject({
    host: "mail.example",
    port: 465,
    secure: true,
    requireTLS: false,
    auth: { user: "me@x.example", pass: "a:b" },
  });
  expect(readSmtpUrl("smtp://[::1]:2525")).toMatchObject({ host: "::1", port: 2525, secure: false });
});

test.each([
  { smtpUrl: "smtp://mail.example", requireTLS: false },
  { smtpUrl: "smtp://u:p@mail.example", requireTLS: true },
  { smtpUrl: "smtp://u:p@mail.example?ignoreTLS=true", requireTLS: false },
  { smtpUrl: "smtp://u:p@mail.example?requireTLS=false", requireTLS: false },
  { smtpUrl: "smtp://u:p@127.0.0.1", requireTLS: false },
  { smtpUrl: "smtp://u:p@[::1]", requireTLS: false },
  { smtpUrl: "smtp://u:p@localhost", requireTLS: false },
  { smtpUrl: "smtp://u:p@127.0.0.1.evil.example", requireTLS: true },
  { smtpUrl: "smtps://u:p@mail.example", requireTLS: false },
  { smtpUrl: "smtp://mail.example?requireTLS=true", requireTLS: true },
])("TLS is required wherever a password would travel in clear: $smtpUrl", ({ smtpUrl, requireTLS }) => {
  expect(readSmtpUrl(smtpUrl).requireTLS).toBe(requireTLS);
});

test.each([
  "",
  "mail.example",
  "http://u:hunter2@mail.example",
  "smtp:hunter2",
  "smtp://",
  "smtp://u:hunter2@mail.example:99999",
  "smtp://u:hunter2@mail.example?jsonTransport=true",
  "smtp://u:hunter2@mail.example?requireTLS=hunter2",
  "smtp://u:hunter2%zz@mail.example",
])("an invalid address is refused without being repeated: %j", (smtpUrl) => {
  expect(() => readSmtpUrl(smtpUrl)).toThrow(InvalidSetting);
  expect(() => readSmtpUrl(smtpUrl)).not.toThrow(/hunter2/);
});
