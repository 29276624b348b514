import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { AdminCalls } from "../admin-calls.ts";
import type { RunningServer } from "../server.ts";
import { visit, type ConsoleBrowser } from "./browser.ts";
import { findPagesOf, pagesOf } from "./pages.ts";
import { findRenderedMarkup, poison, injectMarkup } from "./inject-markup.ts";

/** A platform with some entities in the `default` project. The members are functions, because the server restarts during the tests. */
export interface Platform {
  readonly browser: () => ConsoleBrowser;
  readonly server: () => RunningServer;
  readonly calls: () => AdminCalls;
  readonly start: () => Promise<void>;
}

const pages = pagesOf("sim", "main");
const ownPages = pages.filter(([name]) => !name.startsWith("create"));

/** Returns a list that records each API request of the page that the server rejects. */
function listRefusals(page: Page): string[] {
  const refused: string[] = [];
  page.on("response", (response) => {
    const { pathname } = new URL(response.url());
    if (pathname.startsWith("/v1/") && response.status() >= 400) refused.push(`${response.status()} ${pathname}`);
  });
  return refused;
}

/** Defines tests for hostile conditions: injected markup, denied requests and a server restart. */
export function testHostileConditions(platform: Platform): void {
  test("M015 no text in any field of a response is rendered as markup on any page", async () => {
    const victim = await platform.browser().open({ key: platform.server().adminKey });
    await injectMarkup(victim);
    await victim.goto("/p/default");
    const shown: string[] = [];
    for (const [name, path] of [...pages, ...(await findPagesOf(platform.calls()))]) {
      await visit(victim, path);
      for (const tab of [undefined, ...(await victim.getByRole("tab").all())]) {
        await tab?.click();
        const text = victim.getByText(poison.slice(0, 20)).first();
        const isShown = await text.waitFor({ state: "attached", timeout: 1500 }).then(
          () => true,
          () => false,
        );
        if (isShown) shown.push(name);
        expect([name, await findRenderedMarkup(victim)]).toEqual([name, []]);
      }
    }
    const texts = ["overview", "network", "environments", "runs", "states", "agents", "access", "audit", "simulator"];
    expect(shown).toEqual(expect.arrayContaining([...texts, "run", "operation", "state", "cluster", "nodepool", "environment"]));
    await victim.context().close();
  });

  test("M015 M008 a user with access to one environment causes no denied request, and is not told that nothing exists", async () => {
    const calls = platform.calls();
    await calls.create("/v1/users", { metadata: { name: "emil" } });
    const binding = { metadata: { name: "emil", environment: "prod" }, spec: { user: "emil", role: "viewer" } };
    await calls.create("/v1/projects/default/rolebindings", binding);
    const { status } = await calls.create("/v1/apikeys", { metadata: { name: "emil" }, spec: { user: "emil" } });
    const page = await platform.browser().open({ key: status["key"] as string });
    const refused = listRefusals(page);
    for (const [, path] of ownPages) await visit(page, path);
    await visit(page, "/p/default");
    await page.getByRole("link", { name: "Networks 1" }).first().waitFor();
    expect(await page.getByText("This project is empty").count()).toBe(0);
    expect(refused).toEqual([]);

    await calls.send("DELETE", "/v1/projects/default/rolebindings/emil");
    await page.getByText("You have no access to any project").waitFor();
    await calls.create("/v1/projects", { metadata: { name: "elsewhere" } });
    const role = { metadata: { name: "emil" }, spec: { user: "emil", role: "viewer" } };
    await calls.create("/v1/projects/elsewhere/rolebindings", role);
    await page.goto("/");
    await page.waitForURL("**/p/elsewhere");
    await page.context().close();
  });

  test("X002 pages reconnect to a restarted server without missing changes, and pages opened during the restart load", async () => {
    const page = await platform.browser().open({ key: platform.server().adminKey });
    await page.goto("/p/default/k/networks");
    await page.getByText("Live", { exact: true }).waitFor();
    await platform.server().stop();
    await page.getByText("Reconnecting", { exact: true }).waitFor();
    await page.getByRole("link", { name: "Tree" }).click();
    await platform.start();
    // The page goes live as soon as the server is reachable, even if nothing has changed.
    await page.getByText("Live", { exact: true }).waitFor({ timeout: 60_000 });
    await page.getByRole("heading", { name: "Tree" }).waitFor();
    await platform.calls().send("PATCH", "/v1/projects/default/networks/third", { metadata: { labels: { after: "restart" } } });
    await page.getByRole("link", { name: /^Networks \d/ }).click();
    await page.getByLabel("Filter networks").fill("after=restart");
    await expect.poll(() => page.getByRole("table").getByRole("link").allTextContents()).toEqual(["third"]);
    await page.context().close();
  });
}
