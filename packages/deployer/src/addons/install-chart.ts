import type { KubeObject } from "@cloudwright/kube";
import { Fault, isObject } from "@cloudwright/platform";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { deployerFaults } from "../faults.ts";
import { objectOf } from "../read-spec.ts";
import type { JsonObject } from "../task.ts";
import type { AddOnStatus, Installation, Site } from "./add-on.ts";
import { awaitReady, refsOf } from "./await-ready.ts";
import type { WantedAddOn } from "./choose-add-ons.ts";
import { createHelm, type Helm } from "./helm.ts";
import type { Inventory } from "./inventory.ts";
import { applyAll, leaveForeign, markOwn } from "./own-objects.ts";

export interface ChartSources {
  /** Path of the helm program, or a function that finds or downloads it. Without it, charts cannot be installed. */
  readonly helm?: string | ((signal: AbortSignal) => Promise<string>);
  /** Folder of packaged charts named `name-version.tgz`. It takes precedence over chart repositories. */
  readonly charts?: string;
}

type Stand = Pick<AddOnStatus, "phase" | "message">;

/** Installs an add-on's chart if the chart or its values have changed. */
export async function installChart(
  site: Site,
  inventory: Inventory,
  sources: ChartSources,
  install: Extract<Installation, { by: "chart" }>,
  wanted: WantedAddOn,
  deadlineMs: number,
): Promise<Stand> {
  const { chart } = install;
  const { addOn, version } = wanted;
  const packed = findPacked(sources, chart.name, version);
  // A missing prerequisite fails an add-on only if the add-on is needed. In a simulated account, only add-ons listed in `spec.addOns` are
  // needed.
  const isNeeded = wanted.isNamed || (wanted.isAsked && !site.account.simulated);
  const own = install.findMissing?.(site);
  if (own === undefined && packed === undefined && site.account.simulated && !isNeeded)
    return { phase: "SKIPPED", message: "not installed in a simulated account unless the cluster's spec.addOns lists it" };
  const missing = own ?? findObstacle(sources, packed, chart.repository);
  if (missing !== undefined) return { phase: isNeeded ? "FAILED" : "WAITING", message: missing };
  const helm = await openHelm(site, sources);
  if (helm === undefined) return { phase: "WAITING", message: noHelm };
  const file = packed ?? (await helm.pull(chart, version));
  const had = inventory.installed.get(addOn.name);
  const digest = createHash("sha256")
    .update(await readFile(file))
    .digest("hex");
  checkDigest(wanted, digest, chart.digest, had?.version === version ? had.release?.digest : undefined);
  const values = merge(install.values(site), wanted.values);
  const inputs = createHash("sha256")
    .update(JSON.stringify([digest, values]))
    .digest("hex");
  const status = await recover(helm, chart, await helm.findStatus(chart));
  if (status !== "deployed" || had?.release?.inputs !== inputs) {
    const release = { name: chart.release, namespace: chart.namespace, digest };
    await inventory.keep(addOn.name, { version, objects: [], release: { ...release, inputs: "" } });
    await applyKinds(site, addOn.name, await helm.listKinds(file), deadlineMs);
    await helm.install(chart, file, values, deadlineMs);
    await inventory.keep(addOn.name, { version, objects: [], release: { ...release, inputs } });
  }
  return awaitReady(site, refsOf(await helm.listObjects(chart)), deadlineMs);
}

// Helm never upgrades custom resource definitions, but a newer chart may need newer ones, so they are applied here. Definitions that the
// platform does not manage stay unchanged. No definition is removed, because that would delete all objects of its kind.
async function applyKinds(
  { client, task }: Site,
  addOn: string,
  kinds: readonly KubeObject[],
  deadlineMs: number,
): Promise<void> {
  const own = await leaveForeign(client, kinds, task.signal);
  for (const { metadata } of kinds.filter((kind) => !own.includes(kind))) {
    task.log(`custom resource definition ${metadata.name} is not managed by Cloudwright and stays unchanged`);
  }
  const marked = own.map((kind) => markOwn(kind, addOn));
  await applyAll(client, marked, deadlineMs, task.signal);
}

/** Returns a helm runner for this cluster, or undefined if the agent has no helm. */
export async function openHelm({ access, task }: Site, { helm: found }: ChartSources): Promise<Helm | undefined> {
  if (found === undefined) return undefined;
  const { directory, signal } = task;
  const path = typeof found === "string" ? found : await found(signal);
  return createHelm({ spawn: task.spawn }, { path, access, directory, signal, log: (line) => task.log(line) });
}

export const noHelm = "helm is not installed on the agent";

function findPacked({ charts }: ChartSources, name: string, version: string): string | undefined {
  if (charts === undefined) return undefined;
  const file = join(charts, `${name}-${version}.tgz`);
  return existsSync(file) ? file : undefined;
}

function findObstacle({ helm }: ChartSources, packed: string | undefined, repository: string | undefined): string | undefined {
  if (helm === undefined) return noHelm;
  if (packed !== undefined) return undefined;
  if (repository === undefined)
    return "the chart is not in the agent's chart folder, and the catalogue does not name a repository for it";
  return undefined;
}

function checkDigest(
  { addOn, version }: WantedAddOn,
  digest: string,
  pinned: string | undefined,
  before: string | undefined,
): void {
  const expected = (version === addOn.version ? pinned : undefined) ?? before;
  if (expected === undefined || expected === digest) return;
  throw new Fault(
    deployerFaults.bad_chart,
    `the chart of ${addOn.name} ${version} has the digest ${digest}, expected ${expected}`,
  );
}

// Uninstalls or rolls back a release that stayed in a pending state because an agent was killed while changing it. A pending release blocks
// further changes.
async function recover(
  helm: Helm,
  chart: { readonly release: string; readonly namespace: string } & Parameters<Helm["rollback"]>[0],
  status: string | undefined,
): Promise<string | undefined> {
  if (status === undefined || !status.startsWith("pending-")) return status;
  if (status === "pending-install") await helm.uninstall({ name: chart.release, namespace: chart.namespace });
  else await helm.rollback(chart);
  return undefined;
}

function merge(own: JsonObject, given: JsonObject): JsonObject {
  const merged = { ...own };
  for (const [key, value] of Object.entries(given)) {
    merged[key] = isObject(value) ? merge(objectOf(merged[key]), value) : value;
  }
  return merged;
}
