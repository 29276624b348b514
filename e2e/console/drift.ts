import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { AdminCalls } from "../admin-calls.ts";
import { waitUntil } from "../wait-until.ts";
import { findAccessibilityProblems } from "./browser.ts";
import type { Driver } from "./page-driver.ts";
import { forgetAndAdopt } from "./repair-state.ts";

/** The console in a browser. The members are functions, because both the page and the server can be replaced. */
interface Console {
  readonly page: () => Page;
  readonly calls: () => AdminCalls;
  readonly driver: Driver;
}

/** Defines tests for drift, individual resources of a state, and state versions. */
export function testDrift({ page, calls, driver }: Console): void {
  const { see, click, seePhase, makeDrift } = driver;

  test("M015 drift caused in the simulator appears without a reload, and is accepted or corrected", async () => {
    await makeDrift("third");
    await makeDrift("main");
    await page().goto("/p/default/k/networks/third");
    await click("Check now");
    await see("drifted: 1 resource");
    await page().goto("/p/default");
    await page()
      .getByRole("main")
      .getByRole("link", { name: /^Drift [1-9].*drifted.*never checked/ })
      .waitFor();
    await page().goto("/p/default/k/networks");
    await page().getByRole("row", { name: /third/ }).getByText("drifted", { exact: true }).waitFor();
    await page()
      .getByRole("link", { name: /^Drift/ })
      .click();
    await page()
      .getByRole("row", { name: /dev.*never checked/ })
      .waitFor();
    const reportOf = (network: string) =>
      page().locator("section.cw-panel", {
        has: page().getByRole("link", { name: network }),
        hasNot: page().getByRole("heading", { name: "Last checks" }),
      });
    await reportOf("third").getByText("enable_dns_hostnames").waitFor({ timeout: 60_000 });
    await reportOf("third").getByRole("button", { name: "Accept" }).click();
    await see(/Accepted: changes to these attributes are now ignored/);
    await page().goto("/p/default/drift");
    await reportOf("main").getByText("enable_dns_hostnames").waitFor({ timeout: 60_000 });
    expect(await reportOf("third").count()).toBe(0);
    await reportOf("main").getByRole("button", { name: "Correct" }).click();
    await page().waitForURL(/operations\/op-/);
    expect(await seePhase("main", "Done")).toBe("Done");
  });

  test("X010 a single resource of a state is forgotten and adopted, and the operations show their logs", async () => {
    expect(await forgetAndAdopt(page(), driver, "third")).toEqual([]);
  });

  test("M015 YAML is validated and saved, and states have versions, diffs and a rollback", async () => {
    await makeDrift("second");
    await page().goto("/p/default/k/networks/second");
    await page().getByRole("tab", { name: "YAML" }).click();
    await click("Edit");
    const yaml = page().getByRole("textbox", { name: "YAML" });
    const before = await yaml.inputValue();
    const withZones = (...zones: string[]): string =>
      before.replace(/zones:\n(?: {4}- \w+\n)+/, `zones:\n${zones.map((zone) => `    - ${zone}\n`).join("")}`);
    await yaml.fill(withZones("a", "a"));
    await see(/same item twice/i);
    await page().getByRole("tab", { name: "Runs" }).click();
    await page().getByRole("tab", { name: "YAML" }).click();
    expect(await yaml.inputValue()).toBe(withZones("a", "a"));
    await yaml.fill(withZones("a", "b"));
    await see("The configuration is valid.");
    await click("Save");
    await see("second updated");
    await approveOverwriting("second");
    await waitUntil("the new zone is built", async () => {
      const { status } = await calls().get("/v1/projects/default/networks/second");
      return Number(status["observedGeneration"]) >= 2 && status["phase"] === "RUNNING";
    });
    await page().goto("/p/default/states");
    await page()
      .getByRole("link", { name: /second/ })
      .click();
    await page().getByRole("heading", { name: "Differences" }).waitFor();
    // Terraform saves the state several times per apply. Only the first version is certain not to contain the new zone.
    await page().getByRole("button", { name: "Roll back" }).last().click();
    expect(await findAccessibilityProblems(page())).toEqual([]);
    const dialog = page().getByRole("dialog");
    await dialog.getByText('aws_subnet.public["eu-west-1b"]').waitFor();
    expect(await dialog.getByRole("button", { name: "Restore" }).isEnabled()).toBe(false);
    await dialog.getByLabel("Confirmation").fill("second");
    await click("Restore");
    await see(/^restored from \d/);
  });

  /** Approves a network's plan that undoes an external change. */
  async function approveOverwriting(network: string): Promise<void> {
    await page().getByRole("tab", { name: "Runs" }).click();
    await page()
      .getByRole("row", { name: /Needs approval/ })
      .getByRole("link", { name: network })
      .click();
    await see(/^this plan undoes changes to 1 of 1$/);
    await click("Approve and apply");
    await page().getByRole("dialog").getByRole("button", { name: "Approve and apply" }).click();
    expect(await seePhase(network, "Done")).toBe("Done");
    await see(/^this run undid changes to 1 of 1$/);
  }
}
