import type { Page } from "playwright-core";
import { waitUntil } from "../wait-until.ts";
import { findAccessibilityProblems } from "./browser.ts";
import type { Driver } from "./page-driver.ts";

const address = 'aws_route_table.public["network"]';

/** Removes a resource from the state of a network and adopts it again. Returns accessibility problems. */
export async function forgetAndAdopt(page: Page, { seePhase }: Driver, network: string): Promise<string[]> {
  const found: string[] = [];
  const act = async (verb: "Forget" | "Adopt"): Promise<void> => {
    await page.goto("/p/default/states");
    await page.getByRole("link", { name: new RegExp(network) }).click();
    await page.getByRole("button", { name: `${verb} ${address}` }).click();
    found.push(...(await findAccessibilityProblems(page)));
    // The request is rejected while a periodic drift check of the network is in progress.
    await waitUntil(`the request to ${verb.toLowerCase()} is accepted`, async () => {
      const button = page.getByRole("dialog").getByRole("button", { name: verb });
      if (await button.isVisible()) await button.click({ timeout: 2000 }).catch(() => undefined);
      return /operations\/op-/.test(page.url());
    });
    await seePhase(network, "Done");
    await page.getByRole("log").getByText(address).first().waitFor();
  };
  await act("Forget");
  await act("Adopt");
  return found;
}
