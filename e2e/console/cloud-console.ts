import type { Page } from "playwright-core";
import type { CloudJourney } from "./cloud-journeys.ts";
import { changeRecord, type Driver } from "./page-driver.ts";

/** Creates, changes and deletes the entities of one cloud through the console. Their names start with the cloud's name. */
export interface CloudConsole {
  readonly names: { readonly account: string; readonly network: string; readonly cluster: string; readonly bucket: string };
  createAccount(): Promise<void>;
  /** Fills in the network form. Returns the text that the address planner shows. */
  fillNetwork(): Promise<string>;
  /** Fills in the cluster form, partly through its YAML editor. */
  fillCluster(): Promise<void>;
  /** Runs the preflight checks of the open form, creates the entity and waits until it is built. */
  checkAndCreate(noun: string, name: string): Promise<void>;
  createPool(name: string): Promise<void>;
  scalePool(name: string, desired: number): Promise<void>;
  createBucket(): Promise<void>;
  /** Changes a resource in the simulator and opens the page that reports the drift. Returns the text of the report. */
  makeDrift(): Promise<string>;
  deleteAccount(): Promise<void>;
}

export function createCloudConsole(page: () => Page, driver: Driver, journey: CloudJourney): CloudConsole {
  const { cloud, title } = journey;
  const { see, click, seePhase } = driver;
  const names = { account: `${cloud}-sim`, network: `${cloud}-net`, cluster: `${cloud}-one`, bucket: `${cloud}-files` };
  const start = async (path: string, name: string): Promise<void> => {
    await page().goto(`/p/default/new/${path}`);
    await page().getByLabel("Name", { exact: true }).fill(name);
  };
  const choose = async (label: string, option: string | RegExp): Promise<void> => {
    await page().getByRole("combobox", { name: label, exact: true }).click();
    await page().getByRole("option", { name: option }).first().click();
  };
  const checkAndCreate = async (noun: string, name: string): Promise<void> => {
    await see("The configuration is valid.");
    await click("Check");
    await see("All checks passed.");
    await click(`Create ${noun}`);
    await page().waitForURL(/operations\/op-/);
    await seePhase(name, "Done", 240_000);
  };
  return {
    names,
    checkAndCreate,
    async createAccount() {
      await start("account", names.account);
      // The radio button itself is hidden, so the label is clicked, as a user would do.
      await page().locator("label", { hasText: title }).first().click();
      await see(new RegExp(`${cloud}: \\{\\}`));
      await see("The configuration is valid.");
      await click("Create account");
      await seePhase(names.account, "Done");
    },
    async fillNetwork() {
      await start("network", names.network);
      await choose("Account", new RegExp(`^${names.account} `));
      await page().getByRole("textbox", { name: "Address range" }).fill("10.0.0.0/16");
      const { group, turnOn, yaml } = journey.network;
      if (group !== undefined) await page().locator("summary", { hasText: group }).click();
      await page()
        .getByRole("switch", { name: new RegExp(`^${turnOn}`) })
        .click();
      await see(yaml);
      return (await page().getByTestId("planner").textContent()) ?? "";
    },
    async fillCluster() {
      await start(`cluster?parent=${names.network}`, names.cluster);
      await choose(journey.choice.label, journey.choice.option);
      await click("Edit");
      const yaml = page().getByRole("textbox", { name: "YAML" });
      const before = await yaml.inputValue();
      await yaml.fill(`${before}  infra:\n    drift: correct\n  unknown: [`);
      await click("Apply to form");
      await see(/^Line \d+/);
      await yaml.fill(`${before}  infra:\n    drift: correct\n`);
      await click("Apply to form");
      await page().getByRole("list", { name: "Fields set as YAML" }).getByText("spec.infra.drift").waitFor();
      await page().getByRole("textbox", { name: "Workers" }).fill("3");
    },
    async createPool(name) {
      await start(`nodepool?parent=${names.cluster}`, name);
      await page().getByRole("switch", { name: "Autoscaling" }).click();
      await checkAndCreate("node pool", name);
    },
    async scalePool(name, desired) {
      await page().goto(`/p/default/c/${names.cluster}/${name}`);
      await click("Scale");
      await page().getByLabel("Desired").fill(String(desired));
      await page().getByRole("dialog").getByRole("button", { name: "Scale" }).click();
      await page()
        .getByRole("heading", { name: new RegExp(`update node pool ${name}`, "i") })
        .waitFor();
      await seePhase(name, "Done", 240_000);
    },
    async createBucket() {
      await start(`storage?parent=${names.cluster}`, names.bucket);
      await see(new RegExp(`^${journey.words.bucket}$`, "i"));
      await checkAndCreate("storage", names.bucket);
    },
    async makeDrift() {
      const { type, from, to } = journey.drift;
      await page().goto(`/p/default/simulator?account=${names.account}`);
      await page().getByLabel("Filter records").fill(type);
      const row = page()
        .getByRole("row", { name: new RegExp(`\\b${type}\\b`) })
        .first();
      await changeRecord(page(), row, { from, to });
      await page().goto(`/p/default/k/networks/${names.network}`);
      await click("Check now");
      await see("drifted: 1 resource");
      await page().goto("/p/default/drift");
      const report = page().locator("section.cw-panel", { has: page().getByRole("button", { name: "Correct" }) });
      await report.getByText(journey.drift.attribute).first().waitFor();
      return (await report.first().textContent()) ?? "";
    },
    async deleteAccount() {
      await page().goto(`/p/default/k/accounts/${names.account}`);
      await click(/^More/);
      await page().getByRole("menuitem", { name: "Delete…" }).click();
      const dialog = page().getByRole("dialog");
      await dialog.getByLabel("Confirmation").fill(names.account);
      await dialog.getByRole("button", { name: /^Delete/ }).click();
      await page().getByText(`No account named ${names.account}`).waitFor({ timeout: 240_000 });
    },
  };
}
