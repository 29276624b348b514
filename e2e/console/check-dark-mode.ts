import type { Page } from "playwright-core";
import { findAccessibilityProblems, visit } from "./browser.ts";

const dialogs: readonly (readonly [path: string, button: string | RegExp])[] = [
  ["/p/default/access", "New API key"],
  ["/p/default/access", "Add role"],
  ["/p/default/agents", "Add agent"],
  ["/p/default/backends", "Create backend"],
  ["/p/default/grants", /^Edit grants/],
  ["/p/default/k/clusters/dev", "Scale"],
  ["/p/default/k/clusters/dev", "Connect"],
  ["/p/default", /^Search or jump to/],
];

/** Opens the dialogs, the agents page and the tree in dark mode. Returns accessibility problems. */
export async function checkDarkMode(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const [path, name] of dialogs) {
    await visit(page, path);
    await page.getByRole("button", { name }).first().click();
    await page.getByRole("dialog").waitFor();
    found.push(...(await findAccessibilityProblems(page)).map((barrier) => `${path} ${String(name)}: ${barrier}`));
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  }
  await visit(page, "/p/default/agents");
  await page.getByRole("heading", { name: /embedded/ }).waitFor();
  await page
    .getByText(
      /^(Apply|Plan|Preview|Destroy|Verify|Check for drift in|Run preflight checks for|Install add-ons in|Create credentials for|Get a token for) /,
    )
    .first()
    .waitFor();
  await visit(page, "/p/default/tree");
  await page.getByTitle("dev", { exact: true }).waitFor();
  return found;
}
