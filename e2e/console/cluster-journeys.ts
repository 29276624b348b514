import type { Page } from "playwright-core";
import { findAccessibilityProblems } from "./browser.ts";
import type { Driver } from "./page-driver.ts";

/** Drives the console through the life cycle of a cluster. */
export interface ClusterJourneys {
  /** Submits a form that the cloud would reject, corrects it, reviews the plan and creates the cluster. Returns accessibility problems. */
  createChecked(name: string): Promise<string[]>;
  /** Creates a node pool or storage through its form. */
  make(word: string, name: string): Promise<void>;
  /** Waits until the cluster's newest operation is done. */
  awaitGeneration(name: string): Promise<void>;
  /** Reviews and performs an upgrade. Returns accessibility problems. */
  upgrade(name: string, version: string): Promise<string[]>;
}

/** Creates the journeys. `page` is a function, because the page can be replaced between calls. */
export function createClusterJourneys(page: () => Page, { see, click, seePhase }: Driver): ClusterJourneys {
  const combobox = (name: string) => page().getByRole("combobox", { name });
  const fill = async (name: string, text: string): Promise<void> => {
    await combobox(name).fill(text);
    await page().keyboard.press("Escape");
  };
  return {
    async createChecked(name) {
      await page().goto("/p/default/new/cluster");
      await page().getByLabel("Name", { exact: true }).fill(name);
      await fill("Machine type", "mac2.metal");
      await fill("Kubernetes version", "1.33");
      await see("The configuration is valid.");
      await page().getByRole("list", { name: "Warnings" }).getByText("1.33").waitFor();
      await click("Check");
      await page().getByTestId("findings").getByText("does not offer the machine type mac2.metal").waitFor();
      const barriers = await findAccessibilityProblems(page());
      if (await page().getByRole("button", { name: "Create cluster" }).isEnabled())
        throw new Error("the form allows creating a cluster that failed preflight");
      await click("Go to Machine type");
      await page().locator("[data-field='spec.instanceType']:focus").waitFor();
      await see(/does not offer the machine type mac2\.metal/);
      barriers.push(...(await findAccessibilityProblems(page())));
      await fill("Machine type", "t3.medium");
      await click("Check");
      await see("All checks passed.");
      await click("Show preview");
      await page().getByTestId("preview").getByText("aws_eks_cluster.this").waitFor();
      barriers.push(...(await findAccessibilityProblems(page())));
      await click("Create cluster");
      return barriers;
    },
    async make(word, name) {
      await page().goto(`/p/default/new/${word}`);
      await page().getByLabel("Name", { exact: true }).fill(name);
      await click("Check");
      await see("All checks passed.");
      await click(`Create ${word.replace("nodepool", "node pool")}`);
      await page().waitForURL(/operations\/op-/);
    },
    async awaitGeneration(name) {
      await page().getByRole("tab", { name: "Summary" }).click();
      await page().getByRole("link", { name: /^op-/ }).click();
      await seePhase(name, "Done", 180_000);
    },
    async upgrade(name, version) {
      await page().goto(`/p/default/k/clusters/${name}`);
      await seePhase(name, "Running");
      await click("More");
      await page().getByRole("menuitem", { name: "Upgrade…" }).click();
      const dialog = page().getByRole("dialog");
      await dialog.getByRole("combobox", { name: "Kubernetes version" }).fill(version);
      await page().keyboard.press("Tab");
      await addWarning(page(), /clusters\/.*:preview/, "the upgrade deserves a warning");
      await click("Preview changes");
      await dialog
        .getByTestId("preview")
        .getByText(new RegExp(`version 1\\.\\d+ -> ${version.replace(".", "\\.")}`))
        .waitFor();
      await dialog.getByRole("list", { name: "Warnings" }).getByText("the upgrade deserves a warning").waitFor();
      const barriers = await findAccessibilityProblems(page());
      await click(`Upgrade to ${version}`);
      await page().waitForURL(/operations\/op-/);
      return barriers;
    },
  };
}

/** Adds a warning to the next response from this URL. */
async function addWarning(page: Page, url: RegExp, warning: string): Promise<void> {
  await page.route(
    url,
    async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, headers: { ...response.headers(), "cloudwright-warnings": JSON.stringify([warning]) } });
    },
    { times: 1 },
  );
}
