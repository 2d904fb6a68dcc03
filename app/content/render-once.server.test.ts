import { expect, test, vi } from "vitest";
import { renderOnce } from "./render-once.server";

test("the 20 texts rendered latest are not rendered again", () => {
  const render = vi.fn((text: string) => `<p>${text}</p>`);
  const renderText = renderOnce(render);
  const texts = Array.from({ length: 20 }, (_, index) => String(index));
  for (const text of [...texts, ...texts]) expect(renderText(text)).toBe(`<p>${text}</p>`);
  expect(render).toHaveBeenCalledTimes(20);
  renderText("one more");
  renderText("1");
  expect(render).toHaveBeenCalledTimes(21);
  renderText("0");
  expect(render).toHaveBeenCalledTimes(22);
});
