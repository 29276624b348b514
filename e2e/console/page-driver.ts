import type { Page } from "playwright-core";
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
  /** Changes a network's CIDR in the simulator, which causes drift. */
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
      await page().getByRole("button", { name: /^vpc-/ }).first().click();
      const attributes = page().getByLabel("Attributes");
      const before = await attributes.inputValue();
      await attributes.fill(before.replace('"enable_dns_hostnames": true', '"enable_dns_hostnames": false'));
      await driver.click("Change outside Terraform");
    },
  };
  return driver;
}
