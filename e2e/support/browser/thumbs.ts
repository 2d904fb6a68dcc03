import type { Page } from "@playwright/test";
import { expect, expectAccessible } from "./journey";

/** Controls for a thumb. Links that look like buttons count, but controls within a line of text don't. */
const controls =
  "button:not(.source-mention), select, input, textarea, summary, [role=button], a.button, .page-header a";

/** In pixels: the minimum side of anything pressed, and the minimum height of a control. */
const least = { side: 24, controlHeight: 44 };

type Target = { text: string; width: number; height: number; isControl: boolean };

/** Requires no axe findings, large controls, and nothing wider than the screen. */
export async function expectGoodForThumbs(page: Page, name: string, links = ""): Promise<void> {
  await expectAccessible(page, name);
  await expectLargeEnough(page, name, links);
}

/** Requires large controls, and nothing wider than the screen. */
export async function expectLargeEnough(page: Page, name: string, links = ""): Promise<void> {
  const targets = await measureTargets(page, links ? `${controls}, ${links}` : controls);
  expect(targets.length, name).toBeGreaterThan(3);
  const small = targets.filter(
    ({ width, height, isControl }) =>
      Math.min(width, height) < least.side || (isControl && height < least.controlHeight),
  );
  expect(small, name).toEqual([]);
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(overflow, `${name}: wider than the screen`).toBe(0);
}

function measureTargets(page: Page, wanted: string): Promise<Target[]> {
  return page.evaluate((selector) => {
    const roots: ParentNode[] = [
      document,
      ...[...document.querySelectorAll("*")].flatMap((e) => e.shadowRoot ?? []),
    ];
    return (
      roots
        .flatMap((root) => [...root.querySelectorAll<HTMLElement>(`a[href], button, ${selector}`)])
        .filter(
          (element) =>
            element.checkVisibility({ checkVisibilityCSS: true }) &&
            !element.closest(".skip-link, .visually-hidden"),
        )
        // A link within text is as high as its line. WCAG 2.2 exempts it.
        .filter((element) => element.matches(selector) || getComputedStyle(element).display !== "inline")
        .map((element) => {
          // A checkbox is pressed together with its label.
          const pressed =
            (element.matches("[type=radio], [type=checkbox]") && element.closest("label")) || element;
          const { width, height } = pressed.getBoundingClientRect();
          return {
            text: pressed.outerHTML.slice(0, 90),
            width,
            height,
            isControl: element.matches(selector),
          };
        })
    );
  }, wanted);
}
