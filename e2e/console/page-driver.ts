import type { Locator, Page } from "playwright-core";
import { waitUntil } from "../wait-until.ts";

/** Page actions that many tests share. */
export interface Driver {
  see(text: string | RegExp): Promise<void>;
  /** Clicks the first button with this name. */
  click(name: string | RegExp): Promise<void>;
  /** Clicks the first link with this name. */
  follow(name: string | RegExp): Promise<void>;
  /** Waits until an entity's page shows a phase. Returns the phase shown. */
  seePhase(name: string, phase: string, withinMs?: number): Promise<string | null>;
  /** Turns off a network's DNS host names in the simulator, which causes drift. */
  makeDrift(network: string): Promise<void>;
}

/** Creates a driver. `page` is a function, because the page can be replaced between calls. */
export function createDriver(page: () => Page): Driver {
  const phaseOf = (name: string): Promise<string | null> =>
    page().locator("h1", { hasText: name }).locator(".cw-phase").textContent();
  const driver: Driver = {
    see: (text) => page().getByText(text).first().waitFor(),
    click: (name) =>
      page()
        .getByRole("button", { name, exact: typeof name === "string" })
        .first()
        .click(),
    follow: (name) => page().getByRole("link", { name }).first().click(),
    async seePhase(name, phase, withinMs = 90_000) {
      await waitUntil(`${name} is shown as ${phase}`, async () => (await phaseOf(name).catch(() => "")) === phase, withinMs);
      return phaseOf(name);
    },
    async makeDrift(network) {
      await page().goto("/p/default/simulator");
      await page().getByLabel("Filter records").fill(`aws_vpc ${network}`);
      await changeRecord(page(), page().getByRole("row", { name: new RegExp(`^vpc-.*\\b${network}\\b`) }), {
        from: '"enable_dns_hostnames": true',
        to: '"enable_dns_hostnames": false',
      });
    },
  };
  return driver;
}

/**
 * Replaces text in the attributes of a record, starting from its row in the simulator's inventory. Waits until the server has made the
 * change, because leaving the page earlier can abort the request.
 */
export async function changeRecord(
  page: Page,
  row: Locator,
  change: { readonly from: string; readonly to: string },
): Promise<void> {
  await row.getByRole("button").first().click();
  const dialog = page.getByRole("dialog");
  const attributes = dialog.getByLabel("Attributes");
  const before = await attributes.inputValue();
  if (!before.includes(change.from)) throw new Error(`the record has no ${change.from}: ${before}`);
  await attributes.fill(before.replace(change.from, change.to));
  await dialog.getByRole("button", { name: "Change outside Terraform" }).click();
  await dialog.waitFor({ state: "detached" });
}
