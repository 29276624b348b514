import { describeError } from "@cloudwright/platform";
import type { AddOnStatus, Site } from "./add-on.ts";
import { noHelm, openHelm, type ChartSources } from "./install-chart.ts";
import type { Installed, Inventory } from "./inventory.ts";
import { prune } from "./own-objects.ts";

/** Removes installed add-ons that are not in `wanted`. Returns the status of each one that could not be removed. */
export async function removeUnwanted(
  site: Site,
  inventory: Inventory,
  sources: ChartSources,
  wanted: ReadonlySet<string>,
): Promise<readonly AddOnStatus[]> {
  const { task } = site;
  const left: AddOnStatus[] = [];
  for (const [name, installed] of [...inventory.installed].filter(([each]) => !wanted.has(each)).toReversed()) {
    task.progress(0, `removing ${name}, which is no longer requested`);
    const { version } = installed;
    try {
      const why = await remove(site, sources, installed);
      if (why === undefined) await inventory.keep(name, undefined);
      else left.push({ name, version, phase: "WAITING", message: `waiting to be removed: ${why}` });
    } catch (error) {
      task.signal.throwIfAborted();
      left.push({ name, version, phase: "FAILED", message: `could not be removed: ${describeError(error)}` });
    }
  }
  return left;
}

async function remove(site: Site, sources: ChartSources, { objects, release }: Installed): Promise<string | undefined> {
  const { client, task } = site;
  if (release !== undefined) {
    const helm = await openHelm(site, sources);
    if (helm === undefined) return noHelm;
    await helm.uninstall(release);
  }
  await prune(client, objects, [], (line) => task.log(line), task.signal);
  return undefined;
}
