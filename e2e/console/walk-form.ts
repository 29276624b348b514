import type { Page } from "playwright-core";

const describeFocus = `(() => {
  const el = document.activeElement;
  const label = el.labels?.[0]?.textContent ?? el.getAttribute("aria-label") ?? "";
  const named = (el.getAttribute("aria-labelledby") ?? "").split(" ").map((id) => document.getElementById(id)?.textContent ?? "").join(" ");
  return { tag: el.tagName, name: (label || named.trim() || el.textContent || "").trim(), isOpen: el.parentElement?.open === true };
})()`;

/**
 * Types a name into a create form and tabs to the Check button, using only the keyboard. Opens every collapsed group on the way. Returns
 * the accessible names of the focused elements in tab order, with an empty string for an element without a name.
 */
export async function walkForm(page: Page, name: string): Promise<string[]> {
  await page.getByLabel("Name", { exact: true }).focus();
  await page.keyboard.type(name);
  const found: string[] = [];
  for (let count = 0; count < 120; count += 1) {
    await page.keyboard.press("Tab");
    const focus = await page.evaluate<{ tag: string; name: string; isOpen: boolean }>(describeFocus);
    found.push(focus.name);
    if (focus.tag === "SUMMARY" && !focus.isOpen) await page.keyboard.press("Enter");
    if (focus.tag === "BUTTON" && focus.name === "Check") return found;
  }
  throw new Error(`the keyboard does not reach the button Check: ${found.join(", ")}`);
}
