import type { Page } from "playwright-core";
import { findAccessibilityProblems } from "./browser.ts";

const press = (page: Page, name: string): Promise<void> => page.getByRole("button", { name, exact: true }).first().click();

/** Creates an API key through the form. Returns the key and the accessibility problems of the form. */
export async function makeKey(page: Page, name: string): Promise<{ key: string; barriers: string[] }> {
  await page.goto("/p/default/access");
  await press(page, "New API key");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name", { exact: true }).fill(name);
  const barriers = await findAccessibilityProblems(page);
  await press(page, "Create key");
  const key = (await dialog.getByText(/^cw_/).textContent()) ?? "";
  await press(page, "Done");
  await page.getByRole("button", { name: `Revoke ${name}` }).waitFor();
  return { key, barriers };
}

/** Assigns the viewer role to a user through the form. Returns the accessibility problems found in the form. */
export async function giveRole(page: Page, user: string): Promise<string[]> {
  await press(page, "Add role");
  await page.getByLabel("User").fill(user);
  const barriers = await findAccessibilityProblems(page);
  await page.getByRole("dialog").getByRole("button", { name: "Add role" }).click();
  await page.getByRole("button", { name: `Delete ${user}-viewer` }).waitFor();
  return barriers;
}
