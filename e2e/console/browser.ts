import axe from "axe-core";
import { chromium, type Browser, type Page } from "playwright-core";

/** A browser that records the errors of its pages. */
export interface ConsoleBrowser {
  /** Opens a page in a new browser context. Signs in if a key is given. */
  open(options?: { readonly key?: string; readonly width?: number; readonly dark?: boolean }): Promise<Page>;
  /** Returns and clears the recorded errors: failed scripts, console errors and content security policy violations. */
  takePageErrors(): string[];
  close(): Promise<void>;
}

const height = 860;

/** Starts an installed browser. `address` is a function, because the address can change when the server restarts. */
export async function openBrowser(executablePath: string, address: () => string): Promise<ConsoleBrowser> {
  const args = ["--no-sandbox", "--disable-background-networking", "--disable-gpu", "--force-color-profile=srgb"];
  const browser: Browser = await chromium.launch({ executablePath, args, headless: true });
  const complaints: string[] = [];
  return {
    async open({ key, width = 1280, dark = false } = {}) {
      const context = await browser.newContext({
        viewport: { width, height },
        baseURL: address(),
        colorScheme: dark ? "dark" : "light",
        reducedMotion: "reduce",
      });
      const page = await context.newPage();
      page.setDefaultTimeout(30_000);
      page.on("pageerror", (error) => complaints.push(error.message));
      page.on("dialog", (dialog) => {
        complaints.push(`a dialog: ${dialog.message()}`);
        void dialog.dismiss();
      });
      page.on("console", (message) => {
        const isMeant = message.text().startsWith("Failed to load resource");
        if (message.type() === "error" && !isMeant) complaints.push(`${page.url()}: ${message.text()}`);
      });
      if (key !== undefined) await signIn(page, key);
      return page;
    },
    takePageErrors: () => complaints.splice(0),
    close: () => browser.close(),
  };
}

/** Signs in through the sign-in form. */
async function signIn(page: Page, key: string): Promise<void> {
  await page.goto("/sign-in");
  await page.getByRole("textbox", { name: "API key" }).fill(key);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(/\/p\/default/);
}

/** Navigates to another page without reloading the application, as a link does. */
export async function visit(page: Page, path: string): Promise<void> {
  await page.evaluate(`history.pushState({}, "", ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent("popstate"))`);
  await page.waitForURL(`**${path}`);
  await page.locator("h1").waitFor();
  await page.getByRole("status").getByText("Live", { exact: true }).waitFor({ state: "attached" });
}

/** Returns the serious and critical accessibility problems that axe finds, with their locations. */
export async function findAccessibilityProblems(page: Page): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(axe.source);
  // Waits for animations to end, because elements have less contrast while they fade in.
  await page.evaluate(
    "Promise.all(document.getAnimations().filter((each) => each.effect.getTiming().iterations === 1).map((each) => each.finished.catch(() => 0)))",
  );
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: typeof axe }).axe.run({ resultTypes: ["violations"] }),
  );
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes
          .map(({ target }) => target.join(" "))
          .slice(0, 4)
          .join(" | ")}`,
    );
}
