import type { Page } from "playwright-core";
import { expect } from "vitest";
import { findAccessibilityProblems } from "./browser.ts";

/** Checks the resource graph of a network: its cards and edges, selection by keyboard, and the list view. */
export async function checkResourceGraph(page: Page): Promise<void> {
  const graph = page.getByTestId("resource-graph");
  await expect.poll(() => graph.locator(".cw-card[data-state=DONE]").count()).toBeGreaterThan(10);
  await expect.poll(() => graph.locator(".cw-card:not([data-state=DONE])").count()).toBe(0);
  // The graph library adds edges only after it has measured the cards.
  await expect.poll(() => graph.locator('[data-id="aws_vpc.this>aws_internet_gateway.this"]').count()).toBe(1);
  await expect.poll(() => graph.locator(".react-flow__edge").count()).toBeGreaterThan(10);
  await graph.locator('button[tabindex="0"]').focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  const detail = page.getByTestId("resource-detail");
  await expect.poll(() => detail.textContent()).toMatch(/Waits for[^]*aws_vpc\.this[^]*Planned attributes[^]*create finished/);
  expect(await findAccessibilityProblems(page)).toEqual([]);
  await page.getByText("List", { exact: true }).click();
  const done = page.getByRole("list", { name: "Resources of the run" }).locator("li[data-tone=good]");
  await expect.poll(() => done.count()).toBeGreaterThan(10);
  const worked = page.getByTestId("steps").locator(".cw-span[data-kind=work][data-tone=good]");
  await expect.poll(() => worked.count()).toBeGreaterThan(2);
}
