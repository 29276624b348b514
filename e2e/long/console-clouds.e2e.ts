import { processEnvironment, requireTool } from "@cloudwright/platform";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createAdminCalls, type AdminCalls } from "../admin-calls.ts";
import { findAccessibilityProblems, openBrowser, type ConsoleBrowser } from "../console/browser.ts";
import { createCloudConsole } from "../console/cloud-console.ts";
import { cloudJourneys, type CloudJourney } from "../console/cloud-journeys.ts";
import { createDriver } from "../console/page-driver.ts";
import { walkForm } from "../console/walk-form.ts";
import { startServer, type RunningServer } from "../server.ts";
import { waitUntil } from "../wait-until.ts";

const chromium = requireTool("chromium");
const terraform = requireTool("terraform");
const missing = [chromium, terraform].find((tool) => !tool.found);
if (missing !== undefined && !missing.found) console.log(`skipped: ${missing.reason}`);

const overhang = "document.documentElement.scrollWidth - document.documentElement.clientWidth";

describe.skipIf(missing !== undefined)("the console with three clouds", () => {
  let server: RunningServer;
  let calls: AdminCalls;
  let browser: ConsoleBrowser;
  let page: Page;

  beforeAll(async () => {
    server = await startServer({ environment: { CLOUDWRIGHT_CONSOLE: "on" } });
    calls = createAdminCalls(server);
    browser = await openBrowser(chromium.found ? chromium.path : "", () => server.address);
    await waitUntil("the console is built", async () => (await (await fetch(server.address)).text()).includes("/assets/"));
    page = await browser.open({ key: server.adminKey, width: 1440 });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });
  afterEach(() => {
    const complaints = browser.takePageErrors();
    if (complaints.length > 0) throw new Error(`pages reported errors: ${complaints.join("\n")}`);
  });

  const driver = createDriver(() => page);
  const { see, click, seePhase } = driver;

  describe.each(cloudJourneys)("on $cloud", (journey: CloudJourney) => {
    const story = createCloudConsole(() => page, driver, journey);
    const { names } = story;
    const paths = [
      `k/accounts/${names.account}`,
      `k/networks/${names.network}`,
      `k/clusters/${names.cluster}`,
      `c/${names.cluster}/extra`,
      `k/storages/${names.bucket}`,
      "k/clusters",
      "k/networks",
      "drift",
      `new/network?parent=${names.account}`,
      `new/cluster?parent=${names.network}`,
      `new/nodepool?parent=${names.cluster}`,
      `new/storage?parent=${names.cluster}`,
    ];

    test("X013 M015 M020 the forms create an account and a network, and the planner divides addresses as the cloud does", async () => {
      await story.createAccount();
      expect(await story.fillNetwork()).toContain(journey.network.range);
      expect(await findAccessibilityProblems(page)).toEqual([]);
      await see(`region: ${journey.region}`);
      await story.checkAndCreate("network", names.network);
      await page.goto(`/p/default/k/networks/${names.network}`);
      expect(await seePhase(names.network, "Running")).toBe("Running");
      await see(`${journey.words.network} · ${journey.title} · ${journey.region}`);
    });

    test("X013 M015 a cluster keeps the settings of its form and the fields of its YAML, and a finding links to its field", async () => {
      await story.fillCluster();
      await page.getByRole("combobox", { name: "Machine type" }).fill(journey.unknownMachine);
      await page.keyboard.press("Escape");
      await click("Check");
      await page.getByTestId("findings").getByText(journey.unknownMachine).first().waitFor();
      expect(await findAccessibilityProblems(page)).toEqual([]);
      await click("Go to Machine type");
      await page.locator("[data-field='spec.instanceType']:focus").waitFor();
      await page.keyboard.press("Control+A");
      await page.keyboard.press("Delete");
      await page.keyboard.press("Escape");
      await story.checkAndCreate("cluster", names.cluster);
      const { spec } = await calls.get(`/v1/projects/default/clusters/${names.cluster}`);
      expect(spec).toMatchObject({ workers: 3, infra: { drift: "correct" } });
      const { field, value } = journey.choice;
      expect(field.split(".").reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], spec)).toBe(value);
      await page.goto(`/p/default/k/clusters/${names.cluster}`);
      expect(await seePhase(names.cluster, "Running")).toBe("Running");
      await see(`${journey.words.cluster} · ${journey.title} · ${journey.region}`);
      await click("Connect");
      await page.getByRole("dialog").getByText(journey.plugIn, { exact: true }).waitFor();
      expect(await findAccessibilityProblems(page)).toEqual([]);
    });

    test("X013 M015 node pools and buckets are created and scaled, and drift is readable", async () => {
      await story.createPool("extra");
      await story.scalePool("extra", 3);
      await story.createBucket();
      await page.goto(`/p/default/k/storages/${names.bucket}`);
      await see(`${journey.words.bucket} · ${journey.title} · ${journey.region}`);
      expect(await story.makeDrift()).toContain(journey.drift.attribute);
    });

    test("X013 M015 the keyboard reaches every field of the forms, and every field has a name", async () => {
      for (const path of ["new/network", `new/cluster?parent=${names.network}`, `new/nodepool?parent=${names.cluster}`]) {
        await page.goto(`/p/default/${path}`);
        await page.locator("summary").first().waitFor();
        const order = await walkForm(page, "by-keyboard");
        expect(order.filter((name) => name === "")).toEqual([]);
        expect(order.length).toBeGreaterThan(10);
        expect(await findAccessibilityProblems(page)).toEqual([]);
      }
    });

    test.each([
      ["light", 1440],
      ["dark", 390],
    ] as const)("X013 M015 pages fit in %s mode at %i pixels and use the cloud's own words", async (mode, width) => {
      const guest = await browser.open({ key: server.adminKey, width, dark: mode === "dark" });
      const folder = processEnvironment["CONSOLE_SCREENSHOTS"];
      for (const path of paths) {
        await guest.goto(`/p/default/${path}`);
        await guest.getByRole("status").getByText("Live", { exact: true }).waitFor({ state: "attached" });
        await guest.locator("#main .cw-panel").first().waitFor();
        await guest.locator("#main [aria-busy=true]").waitFor({ state: "detached" });
        expect({ path, pixels: await guest.evaluate<number>(overhang) }).toEqual({ path, pixels: 0 });
        expect((await findAccessibilityProblems(guest)).map((problem) => `${path}: ${problem}`)).toEqual([]);
        const text = (await guest.locator("#main").textContent()) ?? "";
        expect({ path, foreign: journey.foreign.exec(text)?.[0] }).toEqual({ path, foreign: undefined });
        if (folder !== undefined) {
          mkdirSync(folder, { recursive: true });
          const name = `${journey.cloud}-${path.replaceAll(/[^a-z]+/g, "-")}-${mode}-${width}.png`;
          await guest.screenshot({ path: join(folder, name), fullPage: true });
        }
      }
      await guest.context().close();
    });

    test("X013 M015 the account is deleted with everything in it", async () => {
      await page.goto("/p/default/drift");
      await click("Correct");
      await page.waitForURL(/operations\/op-/);
      await seePhase(names.network, "Done");
      await story.deleteAccount();
      const left = await calls.list("/v1/projects/default/networks");
      expect(left.filter(({ metadata }) => metadata.name === names.network)).toEqual([]);
    });
  });

  test("M029 lists can be filtered by cloud and region", async () => {
    for (const { cloud, region } of cloudJourneys) {
      await calls.create("/v1/projects/default/accounts", { metadata: { name: cloud }, spec: { [cloud]: {}, simulated: true } });
      await calls.create("/v1/projects/default/networks", {
        metadata: { name: `${cloud}-late` },
        spec: { account: cloud, region },
      });
    }
    await page.goto("/p/default/k/networks");
    const rows = page.getByRole("table").getByRole("row");
    await expect.poll(() => rows.count()).toBe(4);
    await page.getByRole("combobox", { name: "Cloud" }).click();
    await page.getByRole("option", { name: "Azure" }).click();
    await expect.poll(() => rows.count()).toBe(2);
    await page.getByRole("link", { name: "azure-late" }).waitFor();
    await page.getByRole("combobox", { name: "Cloud" }).click();
    await page.getByRole("option", { name: "Google Cloud" }).click();
    await page.getByRole("link", { name: "gcp-late" }).waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
  });
});
