import type { Page } from "playwright-core";
import { findAccessibilityProblems } from "./browser.ts";

const secret = "canary-of-a-backend";

/** Creates a backend, allows another project to use it, and deletes it. Returns accessibility problems and secrets that were shown. */
export async function manageBackends(page: Page): Promise<string[]> {
  const dialog = page.getByRole("dialog");
  const found: string[] = [];
  const look = async (): Promise<void> => {
    found.push(...(await findAccessibilityProblems(page)));
    if ((await page.content()).includes(secret)) found.push("the page contains the secret");
  };
  await page.goto("/p/default/backends");
  await page.getByRole("button", { name: "Create backend" }).click();
  await dialog.getByRole("textbox", { name: "Name" }).fill("states");
  await dialog.getByRole("textbox", { name: "Bucket" }).fill("acme-states");
  await dialog.getByRole("button", { name: "Create" }).click();
  // The form does not send this request, because the required region is missing.
  await dialog.getByRole("textbox", { name: "Region" }).fill("eu-central-1");
  await addTag(page, "Allowed projects", "default");
  await dialog.getByLabel("Secret access key").first().fill(secret);
  found.push(...(await findAccessibilityProblems(page)));
  await dialog.getByRole("button", { name: "Create" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("cell", { name: "bucket=acme-states" }).waitFor();
  await look();
  await page.getByRole("button", { name: "Edit states" }).click();
  await addTag(page, "Allowed projects", "other");
  await look();
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("cell", { name: /default.*other/ }).waitFor();
  return found;
}

/** Deletes the `states` backend. */
export async function deleteBackend(page: Page): Promise<void> {
  await page.goto("/p/default/backends");
  await page.getByRole("button", { name: "Delete states" }).click();
  await page.getByRole("button", { name: "Delete states" }).click();
  await page.getByRole("button", { name: "Edit states" }).waitFor({ state: "detached" });
}

/** Grants the identity of the embedded agent to a project and to an account. Returns accessibility problems. */
export async function editGrants(page: Page, account: string): Promise<string[]> {
  const dialog = page.getByRole("dialog");
  await page.goto("/p/default/grants");
  await page.getByRole("button", { name: "Edit grants for embedded" }).click();
  await addTag(page, "Projects that may use the agent's cloud identity", "team-a");
  await dialog.getByRole("combobox", { name: "Account" }).click();
  await page.getByRole("option", { name: account }).click();
  await dialog.getByRole("button", { name: "Add account" }).click();
  const found = await findAccessibilityProblems(page);
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("cell", { name: `default/${account}` }).waitFor();
  return [...found, ...(await findAccessibilityProblems(page))];
}

async function addTag(page: Page, label: string, tag: string): Promise<void> {
  await page.getByRole("dialog").getByRole("combobox", { name: label }).fill(tag);
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
}
