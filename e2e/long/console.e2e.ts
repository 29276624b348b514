import { requireTool } from "@cloudwright/platform";
import { text } from "node:stream/consumers";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createAdminCalls, type AdminCalls } from "../admin-calls.ts";
import { runCloud } from "../cloud-command.ts";
import { findAccessibilityProblems, openBrowser, visit, type ConsoleBrowser } from "../console/browser.ts";
import { createClusterJourneys } from "../console/cluster-journeys.ts";
import { createDriver } from "../console/page-driver.ts";
import { giveRole, makeKey } from "../console/grant-access.ts";
import { checkAsViewer } from "../console/check-as-viewer.ts";
import { checkResourceGraph } from "../console/check-resource-graph.ts";
import { checkDarkMode } from "../console/check-dark-mode.ts";
import { checkNarrowScreen } from "../console/check-narrow-screen.ts";
import { testDeletions } from "../console/deletions.ts";
import { testDrift } from "../console/drift.ts";
import { fillWithClusters } from "../console/fill-with-clusters.ts";
import { testHostileConditions } from "../console/hostile-conditions.ts";
import { findPagesOf, pagesOf } from "../console/pages.ts";
import { deleteBackend, editGrants, manageBackends } from "../console/platform-pages.ts";
import { pressKeys } from "../console/press-keys.ts";
import { findFreePort } from "../faults/free-port.ts";
import { createHome, removeHome } from "../home-directory.ts";
import { startServer, type RunningServer } from "../server.ts";
import { waitUntil } from "../wait-until.ts";

const chromium = requireTool("chromium");
const terraform = requireTool("terraform");
const missing = [chromium, terraform].find((tool) => !tool.found);
if (missing !== undefined && !missing.found) console.log(`skipped: ${missing.reason}`);

const canary = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>";
const pages = pagesOf("sim", "main");

describe.skipIf(missing !== undefined)("the console in a browser", () => {
  let home: string;
  let server: RunningServer;
  let calls: AdminCalls;
  let browser: ConsoleBrowser;
  let page: Page;
  let start: () => Promise<void>;

  beforeAll(async () => {
    home = await createHome();
    const listen = `127.0.0.1:${await findFreePort()}`;
    start = async () => {
      const environment = { CLOUDWRIGHT_CONSOLE: "on", CLOUDWRIGHT_LISTEN: listen, CLOUDWRIGHT_DRIFT_CHECK: "Network=8s,*=off" };
      server = await startServer({ home, environment });
      calls = createAdminCalls(server);
    };
    await start();
    browser = await openBrowser(chromium.found ? chromium.path : "", () => server.address);
    await waitUntil("the console is built", async () => (await (await fetch(server.address)).text()).includes("/assets/"));
    page = await browser.open({ key: server.adminKey });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    await removeHome(home);
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === "fail") console.log(`${page.url()} shows:\n${await page.locator("body").innerText()}`);
    const complaints = browser.takePageErrors();
    if (complaints.length > 0) throw new Error(`pages reported errors: ${complaints.join("\n")}`);
  });

  const driver = createDriver(() => page);
  const { see, click, follow, seePhase } = driver;
  const journeys = createClusterJourneys(() => page, driver);

  test("M015 M006 users sign in with a key or a one-time link, and no script can read the credential", async () => {
    const stranger = await browser.open();
    await stranger.goto("/p/default/k/clusters");
    await stranger.getByRole("textbox", { name: "API key" }).fill("cw_wrong");
    await stranger.getByRole("button", { name: "Sign in" }).click();
    await stranger.getByText("api.unauthenticated").waitFor();
    expect(await findAccessibilityProblems(stranger)).toEqual([]);
    await stranger.getByRole("textbox", { name: "API key" }).fill(server.adminKey);
    await stranger.getByRole("button", { name: "Sign in" }).click();
    await stranger.getByRole("heading", { name: "Clusters", exact: true }).waitFor();
    const kept = await stranger.evaluate(
      "[document.cookie, JSON.stringify(localStorage), JSON.stringify(sessionStorage)].join()",
    );
    expect(kept).not.toMatch(/cw_|cloudwright_session/);
    await stranger.context().close();

    const { out } = await runCloud({ home }, "console");
    const guest = await browser.open();
    await guest.goto(out.trim());
    await guest.getByRole("button", { name: /signed in as admin/ }).waitFor();
    expect(guest.url()).not.toContain("token");
    await guest.getByRole("button", { name: /signed in as admin/ }).click();
    await guest.getByRole("menuitem", { name: "Sign out" }).click();
    await guest.waitForURL(/sign-in/);
    await guest.goto(out.trim());
    await guest.getByText("api.unauthenticated").waitFor();
    await guest.context().close();
  });

  test("M015 M031 X002 X015 forms create the first network: validated while typing, shown as code, followed live", async () => {
    await page.goto("/p/default");
    await page.getByRole("link", { name: "Create account" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Not A Name");
    await see(/must use lower-case letters/i);
    expect(await page.getByRole("button", { name: "Create account" }).isEnabled()).toBe(false);
    await page.getByLabel("Name", { exact: true }).fill("sim");
    await see("The configuration is valid.");
    await page.getByText("Command", { exact: true }).click();
    await see("npx cloud account create sim --cloud aws --simulated");
    await click("Create account");
    expect(await seePhase("sim", "Done")).toBe("Done");

    await page.goto("/p/default/new/network");
    await page.getByLabel("Name", { exact: true }).fill("main");
    await page.getByLabel("Address range", { exact: true }).fill("10.7.0.0/16");
    expect(await page.getByTestId("planner").textContent()).toContain("10.7.128.0/20");
    await page.getByText("Command", { exact: true }).click();
    await see("npx cloud network create main --account sim --region eu-west-1 --cidr 10.7.0.0/16 --zones a --zones b");
    await see("The configuration is valid.");
    await click("Check");
    await see("All checks passed.");
    await click("Create network");
    await page.getByRole("heading", { name: /create network main/i }).waitFor();
    expect(await seePhase("main", "Done")).toBe("Done");
    await checkResourceGraph(page);
    const told = /Network created[^]*network\.plan done[^]*network\.apply done/;
    await expect.poll(() => page.getByTestId("timeline").textContent()).toMatch(told);
    await page.getByLabel("Search the log").fill("aws_vpc.this");
    await page.getByRole("button", { name: "Next match" }).click();
    await page.getByText(/^2 of \d+$/).waitFor();
    await page
      .getByRole("log")
      .getByText(/aws_vpc\.this\S*: create finished/)
      .first()
      .waitFor();
    await page.getByRole("link", { name: "Show network" }).click();
    expect(await seePhase("main", "Running")).toBe("Running");
    await see("simulated");
  });

  test("M015 M031 X013 a form creates a cluster, reports what would prevent it, follows it to RUNNING, and scales it", async () => {
    expect(await journeys.createChecked("dev")).toEqual([]);
    await page.getByRole("heading", { name: /create cluster dev/i }).waitFor();
    expect(await seePhase("dev", "Done", 180_000)).toBe("Done");
    await page.getByRole("link", { name: "Show cluster" }).click();
    expect(await seePhase("dev", "Running")).toBe("Running");
    await click("Scale");
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.getByLabel("Workers in the default node pool").fill("3");
    await page.getByRole("dialog").getByRole("button", { name: "Scale" }).click();
    await page.getByRole("heading", { name: /update cluster dev/i }).waitFor();
    expect(await seePhase("dev", "Done", 180_000)).toBe("Done");
  });

  test("M015 M031 forms create node pools and storage, a pool is scaled, and a kubeconfig is downloaded", async () => {
    await journeys.make("storage", "files");
    await journeys.make("nodepool", "spot");
    expect(await seePhase("spot", "Done", 180_000)).toBe("Done");
    await page.goto("/p/default/c/dev/spot");
    await click("Scale");
    await page.getByLabel("Desired").fill("3");
    await page.getByRole("dialog").getByRole("button", { name: "Scale" }).click();
    await page.getByRole("heading", { name: /update node pool spot/i }).waitFor();
    expect(await seePhase("spot", "Done", 180_000)).toBe("Done");
    await page.goto("/p/default/k/storages/files");
    expect(await seePhase("files", "Running", 180_000)).toBe("Running");

    await page.goto("/p/default/k/clusters/dev");
    await click("Connect");
    const [download] = await Promise.all([page.waitForEvent("download"), click("Download kubeconfig")]);
    expect(download.suggestedFilename()).toBe("dev.kubeconfig");
    expect(await text(await download.createReadStream())).toMatch(/kind: Config|"kind": ?"Config"/);
    expect(await findAccessibilityProblems(page)).toEqual([]);
  });

  test("M222 the YAML editor shows warnings before and after the change is saved", async () => {
    await page.goto("/p/default/k/clusters/dev");
    await page.getByRole("tab", { name: "YAML" }).click();
    await click("Edit");
    const yaml = page.getByRole("textbox", { name: "YAML" });
    await yaml.fill((await yaml.inputValue()).replace("workers: 3", "workers: 2"));
    await page.getByRole("list", { name: "Warnings" }).getByText("1.33").waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await click("Save");
    await page.getByRole("status").getByText("1.33").first().waitFor();
    await journeys.awaitGeneration("dev");
  });

  test("M161 X034 the upgrade dialog shows the changes, and upgrades a cluster to the chosen version", async () => {
    expect(await journeys.upgrade("dev", "1.34")).toEqual([]);
    expect(await seePhase("dev", "Done", 180_000)).toBe("Done");
    const { status } = await calls.get("/v1/projects/default/clusters/dev");
    expect(status).toMatchObject({ phase: "RUNNING", version: "1.34" });
  });

  test("M077 an error of the simulated cloud is shown, and the operation can be retried", async () => {
    await page.goto("/p/default/simulator");
    await page.getByRole("combobox", { name: "Resource type" }).fill("aws_internet_gateway");
    await page.getByLabel("Error message").fill("UnauthorizedOperation: not allowed");
    await click("Inject");
    await page.getByTestId("faults").getByText("not allowed").waitFor();
    await calls.create("/v1/projects/default/networks", {
      metadata: { name: "second" },
      spec: { account: "sim", region: "eu-west-1", zones: ["a"], cidr: "10.8.0.0/16" },
    });
    await page.goto("/p/default/operations");
    await page.getByRole("link", { name: /second/ }).click();
    expect(await seePhase("second", "Failed")).toBe("Failed");
    await see(/UnauthorizedOperation/);
    await page.locator('.cw-card[data-state=FAILED] [data-address^="aws_internet_gateway.this"]').waitFor();
    await click("Retry");
    expect(await seePhase("second", "Done")).toBe("Done");
  });

  test("M029 M031 lists can be filtered by text and environment, and update live", async () => {
    await calls.create("/v1/projects/default/environments", { metadata: { name: "prod" }, spec: { description: canary } });
    await page.goto("/p/default/k/networks");
    await page.getByRole("link", { name: "main", exact: true }).waitFor();
    await page.getByLabel("Filter networks").fill("second");
    await waitUntil("one row is left", async () => (await page.getByRole("table").getByRole("row").count()) === 2);
    await page.getByLabel("Filter networks").fill("");
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await calls.send("PATCH", "/v1/projects/default/networks/second", { metadata: { environment: "prod" } });
    await calls.create("/v1/projects/default/networks", {
      metadata: { name: "third", annotations: { note: canary } },
      spec: { account: "sim", region: "eu-west-1", zones: ["a"], cidr: "10.9.0.0/16", infra: { approval: "always" } },
    });
    await page.getByRole("link", { name: "third", exact: true }).waitFor();
    expect(asked.filter((path) => path.endsWith("/networks"))).toEqual([]);
    await page.getByRole("combobox", { name: "Environment" }).click();
    await page.getByRole("option", { name: "prod" }).click();
    await waitUntil(
      "only those of prod are left",
      async () => (await page.getByRole("link", { name: "third", exact: true }).count()) === 0,
    );
    await page.getByRole("link", { name: "second", exact: true }).waitFor();
  });

  test("M077 a plan is reviewed, then approved or discarded with a comment", async () => {
    await calls.create("/v1/projects/default/networks", {
      metadata: { name: "unwanted" },
      spec: { account: "sim", region: "eu-west-1", zones: ["a"], cidr: "10.10.0.0/16", infra: { approval: "always" } },
    });
    await page.goto("/p/default/runs");
    await page.getByText("Needs approval", { exact: true }).first().click();
    await follow(/third/);
    await page.getByTestId("plan").getByText("aws_vpc.this").waitFor();
    await page.getByTestId("resource-graph").locator(".react-flow__edge").first().waitFor();
    await page.getByLabel("Filter the plan").fill("aws_subnet");
    await expect.poll(() => page.getByTestId("plan").getByText("aws_vpc.this").count()).toBe(0);
    await click("Approve and apply");
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.getByLabel("Comment").fill(canary);
    await page.getByRole("dialog").getByRole("button", { name: "Approve and apply" }).click();
    expect(await seePhase("third", "Done")).toBe("Done");
    await see(canary);

    await page.goto("/p/default/runs");
    await page.getByText("Needs approval", { exact: true }).first().click();
    await follow(/unwanted/);
    await page.getByTestId("plan").getByText("aws_vpc.this").waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await click("Discard");
    await page.getByLabel("Comment").fill("not needed");
    await page.getByRole("dialog").getByRole("button", { name: "Discard" }).click();
    expect(await seePhase("unwanted", "Discarded")).toBe("Discarded");
    await see("not needed");
  });

  testDrift({ page: () => page, driver, calls: () => calls });

  test("X062 operators manage backends and the grants of agents", async () => {
    expect(await manageBackends(page)).toEqual([]);
    expect((await calls.get("/v1/backends/states")).spec).toMatchObject({ projects: ["default", "other"] });
    expect(await editGrants(page, "sim")).toEqual([]);
    const { uid } = (await calls.get("/v1/projects/default/accounts/sim")).metadata;
    const { spec } = await calls.get("/v1/projects/system/agents/embedded");
    expect(spec).toMatchObject({ identityProjects: ["team-a"], identityAccounts: [uid] });
  });

  test("M015 the command palette opens any page with a few letters, and the keyboard reaches everything", async () => {
    await page.goto("/p/default");
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Search and commands" }).fill("third net");
    await page.getByRole("option", { name: /third/ }).waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "third" }).waitFor();
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.tagName")).not.toBe("BODY");
    expect(await pressKeys(page)).toEqual(["third"]);
  });

  test("M015 dialogs are accessible in dark mode, agents show their work, and the tree has every cluster", async () => {
    expect(await checkDarkMode(await browser.open({ key: server.adminKey, dark: true }))).toEqual([]);
  });

  test("M015 a viewer sees every page and no button that would fail", async () => {
    const { key } = await calls.createUser("vera", "viewer", "default");
    const viewer = await browser.open({ key });
    expect(await checkAsViewer(viewer, pages)).toEqual([]);
    await viewer.context().close();
  });

  test("M015 keys are shown once, and roles can be granted", async () => {
    const { key, barriers } = await makeKey(page, "ci");
    expect(await calls.whoIs(key)).toBe("admin");
    expect(await page.content()).not.toContain(key);
    expect([...barriers, ...(await giveRole(page, "vera"))]).toEqual([]);
    await deleteBackend(page);
  });

  test("M015 no text that a user wrote runs as a script, and every page is accessible", async () => {
    const made = await calls.create("/v1/apikeys", { metadata: { name: "odd" }, spec: { description: canary, user: "vera" } });
    const barriers: string[] = [];
    for (const [name, path] of [...pages, ...(await findPagesOf(calls))]) {
      await visit(page, path);
      expect(await page.title()).not.toContain("owned");
      expect(await page.content()).not.toContain(made.status["key"]);
      barriers.push(...(await findAccessibilityProblems(page)).map((barrier) => `${name}: ${barrier}`));
    }
    expect(barriers).toEqual([]);
  });

  test("M015 pages work at 400 pixels and in dark mode", async () => {
    const phone = await browser.open({ key: server.adminKey, width: 400, dark: true });
    expect(await checkNarrowScreen(phone, [...pages, ...(await findPagesOf(calls))])).toEqual([]);
  });

  testHostileConditions({ browser: () => browser, server: () => server, calls: () => calls, start: () => start() });

  testDeletions({ page: () => page, driver, calls: () => calls });

  test("M015 five thousand clusters need only as many rows as fit the screen, and a filter finds them", async () => {
    await calls.create("/v1/projects", { metadata: { name: "big" } });
    await fillWithClusters(server.database, "big", 5000);
    await page.goto("/p/big/k/clusters");
    await page.getByText("5,000 total").waitFor({ timeout: 60_000 });
    expect(await page.getByRole("row").count()).toBeLessThan(80);
    // Names are sorted by their numeric parts, so c5000 is the last row.
    await page.evaluate(`document.querySelector(".cw-scroll").scrollTop = 1e9`);
    await page.getByRole("link", { name: "c5000", exact: true }).waitFor();
    expect(await page.getByRole("row").count()).toBeLessThan(80);
    await page.getByLabel("Filter clusters").fill("c4999");
    await page.getByRole("link", { name: "c4999" }).waitFor();
  });
});
