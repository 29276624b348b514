import { requireTool } from "@cloudwright/platform";
import { chromium, type Browser } from "playwright-core";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Benchmark, Measurement } from "./benchmark.ts";
import { timeScroll } from "./console-scroll.ts";
import { startServerProcess } from "./processes/server-process.ts";

const controlPlane = join(import.meta.dirname, "..", "apps", "control-plane", "src", "main.ts");
const limitKb = 300;
const limitMs = 1000;
const pauseLimitMs = 100;
const clusters = 5000;
const rounds = 7;

/** Benchmark P14 measures the console's initial download, its first paint and its longest pause while scrolling. */
export const consoleStart: Benchmark = {
  id: "P14",
  name: "console",
  async run({ note }) {
    const tool = requireTool("chromium");
    if (!tool.found) {
      note(`P14 skipped: ${tool.reason}`);
      return [];
    }
    const directory = mkdtempSync(join(tmpdir(), "cw-console-"));
    const home = join(directory, "home");
    const environment = {
      CLOUDWRIGHT_HOME: home,
      CLOUDWRIGHT_LISTEN: "127.0.0.1:0",
      CLOUDWRIGHT_CONSOLE: "on",
      DATABASE_URL: "",
    };
    const program = { name: "cloudwright", main: controlPlane, directory, profileDirectory: undefined };
    const server = await startServerProcess({ ...program, environment });
    const key = readFileSync(join(home, "admin.key"), "utf8").trim();
    const browser = await chromium.launch({
      executablePath: tool.path,
      args: ["--no-sandbox", "--disable-background-networking"],
    });
    try {
      const page = await awaitPage(server.url);
      const scripts = [...page.matchAll(/(?:src|href)="(\/assets\/[\w-]+\.js)"/g)].map(([, path]) => path ?? "");
      const sizes = await Promise.all(
        scripts.map(async (path) => gzipSync(await (await fetch(server.url + path)).bytes(), { level: 9 }).length),
      );
      const kb = sizes.reduce((sum, size) => sum + size, 0) / 1000;
      const paints: number[] = [];
      for (let round = 0; round < rounds; round += 1) paints.push(await timePaint(browser, server.url, key));
      const ms = paints.toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0;
      const pause = await timeScroll(browser, { url: server.url, home, key }, clusters);
      note(`P14 ${kb.toFixed(0)} kB, first paint ${ms.toFixed(0)} ms, longest pause ${pause.toFixed(0)} ms`);
      return [
        measure(
          "initial JavaScript of the console, compressed, compared with the limit",
          "kB",
          kb,
          limitKb,
          `the ${scripts.length} scripts that index.html references`,
        ),
        measure(
          "first meaningful paint of the overview, compared with the limit",
          "ms",
          ms,
          limitMs,
          `signed in, with an empty cache, from navigation until the heading is visible; median of ${rounds}`,
        ),
        measure(
          "longest browser task while scrolling through 5,000 clusters, compared with the limit",
          "ms",
          pause,
          pauseLimitMs,
          "from the first row to the last, 200 rows at a time; median of three passes; tasks shorter than 50 ms count as 0",
        ),
      ];
    } finally {
      await browser.close();
      await server.stop();
      rmSync(directory, { recursive: true, force: true });
    }
  },
};

function measure(what: string, unit: string, ours: number, anchor: number, how: string): Measurement {
  const ratio = ours / anchor;
  return { id: "P14", what, unit, ours, anchor, ratio, goal: 1, held: ratio <= 1, how };
}

/** Returns the console's HTML once it is built. Until then, the server returns a placeholder page. */
async function awaitPage(url: string): Promise<string> {
  for (;;) {
    const text = await (await fetch(url)).text();
    if (text.includes("/assets/")) return text;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

async function timePaint(browser: Browser, url: string, key: string): Promise<number> {
  const context = await browser.newContext({ baseURL: url, viewport: { width: 1280, height: 860 } });
  const page = await context.newPage();
  await page.request.post("/v1/session", { data: { key } });
  const started = performance.now();
  await page.goto("/p/default", { waitUntil: "commit" });
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  const took = performance.now() - started;
  await context.close();
  return took;
}
