import type { Page } from "playwright-core";

/** A screenshot taken after an interaction: its name, a path or page name, and the interaction. */
export type Scene = readonly [name: string, at: string, act: (page: Page) => Promise<void>];

const press = (page: Page, name: string | RegExp): Promise<void> => page.getByRole("button", { name }).first().click();

/** Screenshots of dialogs, menus and completed forms. */
export const scenes: readonly Scene[] = [
  [
    "palette",
    "/p/default",
    async (page) => {
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Search and commands" }).fill("s");
    },
  ],
  ["shortcuts", "/p/default", (page) => page.keyboard.press("?")],
  [
    "selected",
    "clusters",
    async (page) => {
      await page.getByLabel("Select payments").click();
      await page.getByLabel("Select shop", { exact: true }).click();
      await page.getByLabel("Select columns").click();
    },
  ],
  ["roll-back", "state", (page) => press(page, "Roll back")],
  ["new-api-key", "access", (page) => press(page, "New API key")],
  ["add-role", "access", (page) => press(page, "Add role")],
  ["approve", "run", (page) => press(page, "Approve and apply")],
  ["scale", "cluster", (page) => press(page, "Scale")],
  ["connect", "cluster", (page) => press(page, "Connect")],
  ["yaml", "cluster", (page) => page.getByRole("tab", { name: "YAML" }).click()],
  [
    "delete",
    "cluster",
    async (page) => {
      await press(page, /^More/);
      await page.getByRole("menuitem", { name: "Delete…" }).click();
      await page.getByRole("region", { name: "Items to delete" }).getByText("Service default/web").waitFor();
    },
  ],
  ["create-backend", "backends", (page) => press(page, "Create backend")],
  ["edit-grants", "grants", (page) => press(page, /^Edit grants/)],
  ["adopt", "state", (page) => press(page, "Adopt a resource")],
  [
    "planner",
    "create-network",
    async (page) => {
      await page.getByLabel("Name", { exact: true }).fill("singapore");
      await page.getByTestId("planner").scrollIntoViewIfNeeded();
    },
  ],
  [
    "check",
    "create-cluster",
    async (page) => {
      await page.getByLabel("Name", { exact: true }).fill("checkout");
      await page.getByRole("combobox", { name: "Machine type" }).fill("mac2.metal");
      await page.keyboard.press("Escape");
      await press(page, "Check");
      await page.getByTestId("findings").getByText("mac2.metal").first().waitFor();
    },
  ],
  [
    "upgrade",
    "cluster",
    async (page) => {
      await press(page, /^More/);
      await page.getByRole("menuitem", { name: "Upgrade…" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("combobox", { name: "Kubernetes version" }).fill("1.35");
      await page.keyboard.press("Tab");
      await press(page, "Preview changes");
      await dialog.getByTestId("preview").waitFor();
    },
  ],
];
