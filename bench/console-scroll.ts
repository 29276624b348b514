import { createPool } from "@cloudwright/store";
import type { Browser } from "playwright-core";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const times = 3;

const text = `insert into entity (uid, kind, project, naming_scope, name, environment, labels, resource_version, created_at, updated_at, object)
  select uid, 'Cluster', 'default', '', 'c' || n, '', '{}', n, now(), now(), json_build_object(
    'metadata', json_build_object('project', 'default', 'name', 'c' || n, 'uid', uid, 'labels', '{}'::json, 'annotations', '{}'::json, 'generation', 1,
      'resourceVersion', n::text, 'createdAt', '2026-01-01T00:00:00Z', 'updatedAt', '2026-01-01T00:00:00Z', 'paused', true),
    'spec', json_build_object('network', 'main', 'version', '1.34', 'workers', n % 20),
    'status', json_build_object('phase', 'RUNNING', 'conditions', '[]'::json, 'version', '1.34'))
  from (select gen_random_uuid() as uid, n from generate_series(1, $1) n) numbered`;

// This code is a string, because it runs in the browser and cannot use the types of this file.
const script = `(async () => {
  const pauses = [0];
  const observer = new PerformanceObserver((list) => pauses.push(...list.getEntries().map(({ duration }) => duration)));
  observer.observe({ type: "longtask", buffered: false });
  const scroller = document.querySelector(".cw-scroll");
  for (let top = 0; top < scroller.scrollHeight; top += 9000) {
    scroller.scrollTop = top;
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  }
  observer.disconnect();
  return Math.max(...pauses);
})()`;

/**
 * Inserts paused clusters into the server's database and scrolls through their list several times. Measures the longest browser task of
 * each pass and returns the median in milliseconds.
 */
export async function timeScroll(
  browser: Browser,
  server: { readonly url: string; readonly home: string; readonly key: string },
  clusters: number,
): Promise<number> {
  const { database } = JSON.parse(readFileSync(join(server.home, "server.json"), "utf8")) as { database: string };
  const lock = readFileSync(join(database, "postmaster.pid"), "utf8").split("\n");
  const pool = createPool({ host: lock[4] ?? "", port: Number(lock[3]), user: "cloudwright", database: "cloudwright" });
  await pool.query({ text, values: [clusters] });
  await pool.close();
  const context = await browser.newContext({ baseURL: server.url, viewport: { width: 1280, height: 860 } });
  const page = await context.newPage();
  await page.request.post("/v1/session", { data: { key: server.key } });
  await page.goto("/p/default/k/clusters");
  await page.getByText(`${clusters.toLocaleString("en")} total`).waitFor({ timeout: 60_000 });
  const pauses: number[] = [];
  for (let time = 0; time < times; time += 1) pauses.push(await page.evaluate<number>(script));
  await context.close();
  return pauses.toSorted((a, b) => a - b)[Math.floor(times / 2)] ?? 0;
}
