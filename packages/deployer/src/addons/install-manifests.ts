import { describeRef } from "@cloudwright/kube";
import type { AddOnStatus, Installation, Site } from "./add-on.ts";
import { awaitReady, refsOf } from "./await-ready.ts";
import type { WantedAddOn } from "./choose-add-ons.ts";
import type { Inventory } from "./inventory.ts";
import { applyAll, findForeign, markOwn, prune, unite } from "./own-objects.ts";

/**
 * Applies an add-on's objects, deletes obsolete ones, and waits until the add-on is ready. The inventory lists the objects before they are
 * created, so that an interrupted installation can be cleaned up.
 */
export async function installManifests(
  site: Site,
  inventory: Inventory,
  install: Extract<Installation, { by: "manifests" }>,
  { addOn, version, values, isNamed }: WantedAddOn,
  deadlineMs: number,
): Promise<Pick<AddOnStatus, "phase" | "message">> {
  const { client, task } = site;
  const { signal } = task;
  const missing = await install.findMissing?.(site);
  if (missing !== undefined) return { phase: "WAITING", message: missing };
  await install.prepare?.(site);
  const objects = (await install.render(site, version, values)).map((object) => markOwn(object, addOn.name));
  const foreign = await findForeign(client, objects, signal);
  if (foreign !== undefined) {
    return {
      phase: isNamed ? "FAILED" : "WAITING",
      message: `${describeRef(foreign)} already exists and is not managed by Cloudwright`,
    };
  }
  const had = inventory.installed.get(addOn.name)?.objects ?? [];
  const has = refsOf(objects);
  await inventory.keep(addOn.name, { version, objects: unite(had, has) });
  await applyAll(client, objects, deadlineMs, signal);
  await prune(client, had, has, (line) => task.log(line), signal);
  await inventory.keep(addOn.name, { version, objects: has });
  return awaitReady(site, has, deadlineMs);
}
