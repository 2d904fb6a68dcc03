import { mkdtempSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import { createAddressListRefresher, openAddressList } from "./address-list.server";

const folder = mkdtempSync(path.join(os.tmpdir(), "latchkey-list-"));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => void vi.useRealTimers());

const first = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const second = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

let files = 0;
function writeList(text: string): string {
  const file = path.join(folder, `${(files += 1)}.txt`);
  writeFileSync(file, text);
  return file;
}

test("a list has the addresses of its lines, however they are written, and nothing of its comments", () => {
  const list = openAddressList(
    writeList(`\uFEFF# guests\r\n${first} # Ada\r\n\r\n  ${second.toLowerCase()}  \r\n#${folder}`),
  );
  expect([first, second].map((address) => list.has(address.toLowerCase() as `0x${string}`))).toEqual([
    true,
    true,
  ]);
  expect(list.has("0x0000000000000000000000000000000000000001")).toBe(false);
});

test("a changed list counts from the next look on, and one that is unchanged is not read again", async () => {
  const file = writeList(first);
  const list = openAddressList(file);
  expect(await list.refresh()).toBeNull();
  writeFileSync(file, `${second}\n`);
  expect(list.has(first)).toBe(true);
  expect(await list.refresh()).toBe(1);
  expect([list.has(first), list.has(second)]).toEqual([false, true]);
  expect(await list.refresh()).toBeNull();
});

test.each([
  [
    "a line is no address",
    (file: string) => void writeFileSync(file, `${second}\n0x12\n`),
    /^line 2 must be/,
  ],
  ["it is gone", (file: string) => void unlinkSync(file), /^cannot be read \(ENOENT\)/],
  [
    "it is too large",
    (file: string) => void writeFileSync(file, " ".repeat(4 * 1024 * 1024 + 1)),
    /larger than 4 MiB/,
  ],
  [
    "it lists too many",
    (file: string) =>
      void writeFileSync(
        file,
        Array.from({ length: 50_001 }, (_, index) => `0x${index.toString(16).padStart(40, "0")}`).join("\n"),
      ),
    /more than 50000 addresses/,
  ],
])("the last good list counts where %s", async (_, damage, told) => {
  const file = writeList(first);
  const list = openAddressList(file);
  damage(file);
  await expect(list.refresh()).rejects.toThrow(told);
  expect([list.has(first), list.has(second)]).toEqual([true, false]);
  writeFileSync(file, second);
  expect(await list.refresh()).toBe(1);
  expect(list.has(second)).toBe(true);
});

test("every line that is no address is told, of many the first twenty and how many more", async () => {
  const file = writeList(first);
  const list = openAddressList(file);
  writeFileSync(file, ["0x12", second, flipCase(second), "# 0x"].join("\n"));
  await expect(list.refresh()).rejects.toThrow(/^lines 1, 3 must each be an address: /);
  writeFileSync(file, Array.from({ length: 23 }, (_, index) => `0x${index}`).join("\n"));
  expect(() => openAddressList(file)).toThrow(/^lines 1, 2, .*19, 20 and 3 more must each be /);
});

test("other work runs after each thousand lines of a changed list", async () => {
  const file = writeList(first);
  let slices = 0;
  const list = openAddressList(file, async () => {
    slices += 1;
    expect([list.has(first), list.has(second)]).toEqual([true, false]);
  });
  const others = Array.from({ length: 10_000 }, (_, index) => `0x${index.toString(16).padStart(40, "0")}`);
  writeFileSync(file, [...others, second].join("\n"));
  expect(await list.refresh()).toBe(10_001);
  expect(slices).toBe(10);
  expect([list.has(first), list.has(second)]).toEqual([false, true]);
});

/** The same address with a wrong checksum. */
function flipCase(address: string): string {
  const flip = (letter: string) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
  return address.replace(/[a-f]/i, flip);
}

test.each([
  ["nothing", ""],
  ["comments alone", "# guests\n\n"],
])(
  "a list that an editor leaves with %s for a moment stays in force until the next look",
  async (_, text) => {
    const file = writeList(first);
    const list = openAddressList(file);
    writeFileSync(file, text);
    expect(await list.refresh()).toBeNull();
    expect(list.has(first)).toBe(true);
    writeFileSync(file, second);
    expect(await list.refresh()).toBe(1);
    expect([list.has(first), list.has(second)]).toEqual([false, true]);

    writeFileSync(file, text);
    expect(await list.refresh()).toBeNull();
    expect(await list.refresh()).toBe(0);
    expect(list.has(second)).toBe(false);
    expect(await list.refresh()).toBeNull();
  },
);

test("the files are looked at twice in five seconds until the end, and a broken one is told once", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const refresh = vi.fn<() => Promise<number | null>>().mockResolvedValue(null);
  const list = { file: "guests.txt", has: () => false, refresh };
  const told: unknown[] = [];
  const log = {
    info: (fields: object, message: string) => void told.push([message, fields]),
    warn: (fields: object, message: string) => void told.push([message, fields]),
  };
  const refresher = createAddressListRefresher({ lists: [list], log });
  refresher.start();
  await vi.advanceTimersByTimeAsync(4_500);
  expect(refresh).toHaveBeenCalledTimes(2);
  refresh.mockRejectedValue(new Error("cannot be read (ENOENT)."));
  await vi.advanceTimersByTimeAsync(4_000);
  expect(refresh).toHaveBeenCalledTimes(4);
  refresh.mockResolvedValue(2);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(told).toEqual([
    [
      "address list cannot be used; the last good one counts",
      { file: "guests.txt", fault: "cannot be read (ENOENT)." },
    ],
    ["address list read", { file: "guests.txt", addresses: 2 }],
  ]);
  await refresher.stop();
  await vi.advanceTimersByTimeAsync(4_000);
  expect(refresh).toHaveBeenCalledTimes(5);
});
