import type { Page } from "@playwright/test";
import { expect, expectAccessible } from "./journey";

const pressed = "main button, button, select, input, textarea, summary";

/** Nothing for axe, nothing smaller than a thumb, and nothing wider than the screen. */
export async function expectGoodForThumbs(page: Page, name: string, links = ""): Promise<void> {
  await expectAccessible(page, name);
  expect(await listSmall({ page, selector: links ? `${pressed}, ${links}` : pressed }), name).toEqual([]);
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(overflow, `${name}: wider than the screen`).toBe(0);
}

/** Links within a line of words are as high as the line; everything else that is pressed is for thumbs. */
function listSmall({ page, selector }: { page: Page; selector: string }) {
  return page.evaluate((wanted) => {
    const places: ParentNode[] = [
      document,
      ...[...document.querySelectorAll("*")].flatMap((e) => e.shadowRoot ?? []),
    ];
    return (
      places
        .flatMap((place) => [...place.querySelectorAll<HTMLElement>(wanted)])
        .filter((element) => element.checkVisibility() && element.closest(".page-header") === null)
        // A mark to set is pressed with its words.
        .map(
          (element) =>
            (element.matches("[type=radio], [type=checkbox]") && element.closest("label")) || element,
        )
        .map((element) => ({
          text: element.outerHTML.slice(0, 90),
          height: element.getBoundingClientRect().height,
        }))
        .filter(({ height }) => height < 44)
    );
  }, selector);
}
