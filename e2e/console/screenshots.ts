/** npm run screenshots: every page of the console, in light and in dark, into docs/screenshots. */
import { requireTool } from "@cloudwright/platform";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { createAdminCalls } from "../admin-calls.ts";
import { startServer } from "../server.ts";
import { waitUntil } from "../wait-until.ts";
import { openBrowser } from "./browser.ts";
import { furnish } from "./furnish.ts";
import { pagesOf } from "./pages.ts";
import { shrinkPicture } from "./shrink-picture.ts";

const folder = join(import.meta.dirname, "../../docs/screenshots");
const chromium = requireTool("chromium");
if (!chromium.found) throw new Error(chromium.reason);

const server = await startServer({
  environment: { CLOUDWRIGHT_CONSOLE: "on", CLOUDWRIGHT_DRIFT_CHECK: "Network=5s", CLOUDWRIGHT_LOG_LEVEL: "error" },
});
const browser = await openBrowser(chromium.path, () => server.address);
try {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const calls = createAdminCalls(server);
  const more = await furnish(calls);
  await waitUntil("the console is built", async () => (await (await fetch(server.address)).text()).includes("/assets/"));
  for (const dark of [false, true]) {
    const scheme = dark ? "dark" : "light";
    const shoot = async (page: Page, name: string): Promise<void> => {
      await page.waitForTimeout(700);
      writeFileSync(join(folder, `${name}-${scheme}.png`), shrinkPicture(await page.screenshot()));
    };
    const stranger = await browser.open({ dark });
    await stranger.goto("/sign-in");
    await shoot(stranger, "sign-in");
    const page = await browser.open({ key: server.adminKey, dark });
    for (const [name, path] of [...pagesOf("acme-production", "frankfurt"), ...more]) {
      await page.goto(path);
      await page.getByText("Live", { exact: true }).waitFor();
      if (name === "create-network") await page.getByLabel("Name", { exact: true }).fill("shop");
      if (name === "create-network") await page.getByTestId("planner").scrollIntoViewIfNeeded();
      await shoot(page, name);
    }
    await page.goto("/p/default");
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Search and commands" }).fill("cr");
    await shoot(page, "palette");
    await page.goto("/p/default/k/networks/frankfurt");
    await page.getByRole("button", { name: /^More/ }).click();
    await page.getByRole("menuitem", { name: "Delete…" }).click();
    await shoot(page, "delete");
    const phone = await browser.open({ key: server.adminKey, dark, width: 400 });
    await phone.goto("/p/default");
    await shoot(phone, "phone");
    await Promise.all([stranger, page, phone].map((each) => each.context().close()));
  }
} finally {
  await browser.close();
  await server.stop();
}
