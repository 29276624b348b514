import type { Page } from "playwright-core";
import { waitUntil } from "../wait-until.ts";

/** Opens the help, then opens and filters the network list, using only the keyboard. Returns the names that remain after filtering. */
export async function pressKeys(page: Page): Promise<string[]> {
  await page.keyboard.press("?");
  await page.getByRole("dialog").getByText("search and commands").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.keyboard.press("g");
  await page.keyboard.press("n");
  await page.getByRole("heading", { name: "Networks" }).waitFor();
  await page.getByLabel("Filter networks").waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("third");
  const names = (): Promise<string[]> => page.getByRole("table").getByRole("link").allTextContents();
  await waitUntil("one network is left", async () => (await names()).length === 1);
  return names();
}
