import { expect, test } from "vitest";
import { createProgressBar } from "./run-command";

function makeBar({ isTTY }: { isTTY: boolean }) {
  const written: string[] = [];
  const bar = createProgressBar({ isTTY, write: (text) => written.push(text) });
  return { ...bar, written };
}

const page = (done: number, total: number, source = `p${done}.md`) => ({ done, total, source });

test("on a terminal one line is overwritten, and closed at the end", () => {
  const { show, end, written } = makeBar({ isTTY: true });
  show(page(0, 4));
  show(page(1, 4));
  show(page(4, 4, ""));
  expect(written).toEqual([
    `\r\u001B[2K${"░".repeat(24)} 0/4 p0.md`,
    `\r\u001B[2K${"█".repeat(6)}${"░".repeat(18)} 1/4 p1.md`,
    `\r\u001B[2K${"█".repeat(24)} 4/4 `,
  ]);
  end();
  end();
  expect(written.slice(3)).toEqual(["\n"]);
});

test("a long path is shown by its end, so that the line stays one line", () => {
  const { show, written } = makeBar({ isTTY: true });
  show(page(1, 2, `${"folder/".repeat(20)}page.md`));
  expect(written[0]!.length).toBeLessThan(80);
  expect(written[0]).toMatch(/folder\/page\.md$/);
});

test("without a terminal each tenth is a line of its own, without control characters", () => {
  const { show, end, written } = makeBar({ isTTY: false });
  for (let done = 0; done <= 200; done++) show(page(done, 200));
  end();
  expect(written).toEqual(Array.from({ length: 11 }, (_, tenth) => `${tenth * 20} of 200 pages\n`));
});

test("an empty folder is reported as done at once", () => {
  for (const isTTY of [true, false]) {
    const { show, end, written } = makeBar({ isTTY });
    show(page(0, 0, ""));
    end();
    expect(written.join("")).toContain(isTTY ? `${"█".repeat(24)} 0/0` : "0 of 0 pages\n");
  }
});

test("a run that ends before its first page leaves no empty line behind", () => {
  const { end, written } = makeBar({ isTTY: true });
  end();
  expect(written).toEqual([]);
});
