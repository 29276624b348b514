/** `npm run screenshots`: captures every page of the console in light and dark mode, and saves the images to docs/screenshots. */
import { requireTool } from "@cloudwright/platform";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { createAdminCalls } from "../admin-calls.ts";
import { startServer } from "../server.ts";
import { waitUntil } from "../wait-until.ts";
import { openBrowser } from "./browser.ts";
import { createDemoFleet } from "./create-demo-fleet.ts";
import { pagesOf } from "./pages.ts";
import { scenes } from "./scenes.ts";
import { shrinkScreenshot } from "./shrink-screenshot.ts";

const folder = join(import.meta.dirname, "../../docs/screenshots");
const chromium = requireTool("chromium");
if (!chromium.found) throw new Error(chromium.reason);

const server = await startServer({
  environment: { CLOUDWRIGHT_CONSOLE: "on", CLOUDWRIGHT_DRIFT_CHECK: "Network=20s,*=off", CLOUDWRIGHT_LOG_LEVEL: "error" },
});
const browser = await openBrowser(chromium.path, () => server.address);
try {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const more = await createDemoFleet(createAdminCalls(server));
  const all = [...pagesOf("acme-production", "frankfurt"), ...more];
  await waitUntil("the console is built", async () => (await (await fetch(server.address)).text()).includes("/assets/"));
  for (const dark of [false, true]) {
    const shoot = async (page: Page, name: string): Promise<void> => {
      await page.waitForTimeout(700);
      writeFileSync(join(folder, `${name}-${dark ? "dark" : "light"}.png`), shrinkScreenshot(await page.screenshot()));
    };
    const stranger = await browser.open({ dark });
    await stranger.goto("/sign-in");
    await shoot(stranger, "sign-in");
    const page = await browser.open({ key: server.adminKey, dark });
    for (const [name, path] of all) {
      await page.goto(path);
      await page.getByText("Live", { exact: true }).waitFor();
      await shoot(page, name);
    }
    for (const [name, path, act] of scenes) {
      await page.goto(all.find(([each]) => each === path)?.[1] ?? path);
      await page.getByText("Live", { exact: true }).waitFor();
      await act(page);
      await shoot(page, name);
    }
    const phone = await browser.open({ key: server.adminKey, dark, width: 400 });
    for (const name of [
      "overview",
      "tree",
      "clusters",
      "cluster",
      "operation",
      "run",
      "create-network",
      "instance",
      "create-security-group",
    ]) {
      await phone.goto(all.find(([each]) => each === name)?.[1] ?? "");
      await phone.locator("h1").waitFor();
      await shoot(phone, `phone-${name}`);
    }
    await Promise.all([stranger, page, phone].map((each) => each.context().close()));
  }
  const complaints = browser.takePageErrors();
  if (complaints.length > 0) throw new Error(`pages reported errors: ${complaints.join("\n")}`);
} finally {
  await browser.close();
  await server.stop();
}
