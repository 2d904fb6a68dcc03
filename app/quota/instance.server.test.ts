import { spawn } from "node:child_process";
import { once } from "node:events";
import os from "node:os";
import { expect, test } from "vitest";
import { isInstanceGone, nameInstance } from "./instance.server";

test("an instance on this machine is gone with its process, or when its process id is ours by now", async () => {
  const self = nameInstance();
  const child = spawn(process.execPath, ["-e", "process.stdin.resume()"], {
    stdio: ["pipe", "ignore", "ignore"],
  });
  const ofChild = `${os.hostname()}/${child.pid}/start`;
  expect(isInstanceGone({ instance: ofChild, self })).toBe(false);
  child.stdin.end();
  await once(child, "close");
  expect(isInstanceGone({ instance: ofChild, self })).toBe(true);
  expect(isInstanceGone({ instance: nameInstance(), self })).toBe(true);
});

test("of itself, of other machines and of names it cannot read an instance says nothing", () => {
  const self = nameInstance();
  for (const instance of [self, "elsewhere/999999/start", "", "nonsense", `${os.hostname()}/x/start`]) {
    expect(isInstanceGone({ instance, self }), instance).toBe(false);
  }
});
