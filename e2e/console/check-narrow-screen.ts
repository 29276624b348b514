import type { Page } from "playwright-core";
import { findAccessibilityProblems, visit } from "./browser.ts";
import type { NamedPage } from "./pages.ts";

const overhang = "document.documentElement.scrollWidth - document.documentElement.clientWidth";

/** Visits every page on a narrow screen and then uses the menu. Returns accessibility problems and pages that scroll sideways. */
export async function checkNarrowScreen(phone: Page, pages: readonly NamedPage[]): Promise<string[]> {
  const found: string[] = [];
  for (const [name, path] of pages) {
    await visit(phone, path);
    const pixels = await phone.evaluate<number>(overhang);
    if (pixels > 0) found.push(`${name} is ${pixels} pixels too wide`);
    found.push(...(await findAccessibilityProblems(phone)).map((barrier) => `${name}: ${barrier}`));
  }
  await phone.goto("/p/default");
  await phone.locator("h1").waitFor();
  await phone.getByRole("button", { name: "Navigation" }).click();
  await phone
    .locator(".cw-nav")
    .getByRole("link", { name: /^Networks/ })
    .click();
  await phone.getByRole("heading", { name: "Networks" }).waitFor();
  return found;
}
