import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { AdminCalls } from "../admin-calls.ts";
import { fillCluster } from "../cluster-contents.ts";
import { findAccessibilityProblems } from "./browser.ts";
import type { Driver } from "./page-driver.ts";

/** The console in a browser. The members are functions, because both the page and the server can be replaced. */
interface Console {
  readonly page: () => Page;
  readonly calls: () => AdminCalls;
  readonly driver: Driver;
}

/** Defines tests for the deletion of entities. They delete the `third` network and the `dev` cluster. */
export function testDeletions({ page, calls, driver }: Console): void {
  const { click, follow } = driver;

  test("M015 a deletion lists everything it includes, and starts after the name was typed", async () => {
    await page().goto("/p/default/k/accounts/sim");
    await click(/^More/);
    await page().getByRole("menuitem", { name: "Delete…" }).click();
    await expect.poll(() => page().getByTestId("going").textContent()).toMatch(/sim[^]*main[^]*second[^]*third/);
    await page().keyboard.press("Escape");
    await page().goto("/p/default/k/networks/third");
    await click(/^More/);
    await page().getByRole("menuitem", { name: "Delete…" }).click();
    const dialog = page().getByRole("dialog");
    expect(await findAccessibilityProblems(page())).toEqual([]);
    expect(await dialog.getByRole("button", { name: /^Delete/ }).isEnabled()).toBe(false);
    await dialog.getByLabel("Confirmation").fill("third");
    await dialog.getByRole("button", { name: /^Delete/ }).click();
    await page().getByText("No network named third").waitFor({ timeout: 240_000 });
    await page().goto("/p/default/runs");
    await follow(/third/);
    await page()
      .getByRole("heading", { name: /^Deletion of third/ })
      .waitFor();
    await page().getByTestId("plan").getByText("aws_vpc.this").waitFor();
    await page()
      .getByRole("heading", { name: /^Changes −\d+$/ })
      .waitFor();
  });

  test("X082 the deletion of a cluster lists what the cluster created itself, and keeps volumes by an explicit choice", async () => {
    await fillCluster(calls(), "dev", "sim");
    await page().goto("/p/default/k/clusters/dev");
    await click(/^More/);
    await page().getByRole("menuitem", { name: "Delete…" }).click();
    const dialog = page().getByRole("dialog");
    const list = dialog.getByRole("region", { name: "Items to delete" });
    await list.getByText("Service default/web").waitFor();
    await list.getByText("claim default/data").waitFor();
    expect(await list.textContent()).toMatch(/dev[^]*Infrastructure[^]*spot[^]*files/);
    expect(await list.getByText("kept", { exact: true }).count()).toBe(0);
    await dialog.getByRole("radio", { name: /^Keep all/ }).click();
    await list.getByText("kept", { exact: true }).waitFor();
    expect(await findAccessibilityProblems(page())).toEqual([]);
    await dialog.getByLabel("Confirmation").fill("dev");
    const sent = page().waitForRequest((request) => request.method() === "DELETE");
    await dialog.getByRole("button", { name: /^Delete/ }).click();
    expect((await sent).url()).toContain("volumes=retain");
    await page().getByText("No cluster named dev").waitFor({ timeout: 240_000 });
    const { items } = (await (
      await calls().send("GET", "/v1/projects/default/accounts/sim/simulation/records?type=aws_ebs_volume")
    ).json()) as { items: unknown[] };
    expect(items).toHaveLength(1);
  });
}
