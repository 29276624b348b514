import type { Page } from "playwright-core";
import { visit } from "./browser.ts";
import type { NamedPage } from "./pages.ts";

const doing =
  /^(create|delete|more|scale|inject|approve|discard|correct|accept|roll|add |drain|stop|edit|save|cancel|retry|forget|adopt|check now)/i;

/** Visits every page as a viewer. Returns the buttons that a viewer should not see, and the requests that were denied. */
export async function checkAsViewer(viewer: Page, pages: readonly NamedPage[]): Promise<string[]> {
  const found: string[] = [];
  viewer.on("response", (response) => {
    if (response.status() >= 400) found.push(`${response.status()} ${response.url()}`);
  });
  for (const [, path] of pages.filter(([name]) => !name.startsWith("create"))) {
    await visit(viewer, path);
    const names = await viewer.locator("main button, main a[class*=mantine-Button]").allTextContents();
    found.push(...names.filter((name) => doing.test(name.trim())).map((name) => `${path}: ${name}`));
  }
  return found;
}
