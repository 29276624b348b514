import { kubeFaults } from "@cloudwright/kube";
import { describeError, Fault, systemClock, type Clock } from "@cloudwright/platform";
import { countReadyNodes } from "../access/await-nodes.ts";
import { withCluster } from "../access/open-cluster.ts";
import { patienceWith } from "../access/patience.ts";
import { awaitApi, type ClusterDeps } from "../access/reach-cluster.ts";
import { findDeployerCloud } from "../clouds.ts";
import { deployerFaults } from "../faults.ts";
import { requireEntity, type DeployedAccount, type DeployerOutcome, type DeployerTask, type JsonObject } from "../task.ts";
import type { AddOn, AddOnStatus, Site } from "./add-on.ts";
import { chooseAddOns, type WantedAddOn } from "./choose-add-ons.ts";
import { installChart, type ChartSources } from "./install-chart.ts";
import { installManifests } from "./install-manifests.ts";
import { openInventory, type Inventory } from "./inventory.ts";
import { lookAtManaged } from "./look-at-managed.ts";
import { removeUnwanted } from "./remove-unwanted.ts";

export interface AddOnDeps extends ClusterDeps {
  readonly addOns?: ChartSources & {
    /** Extra catalogue entries. An entry with the name of a built-in add-on replaces that add-on. */
    readonly catalogue?: readonly AddOn[];
  };
}

interface Result extends AddOnStatus {
  /** True if a retry cannot succeed. */
  readonly isFinal: boolean;
}

/** Installs a cluster's add-ons one after another. A failed add-on does not stop the ones after it. */
export async function installAddOns(deps: AddOnDeps, task: DeployerTask, account: DeployedAccount): Promise<DeployerOutcome> {
  const clock = deps.clock ?? systemClock;
  const { reachMs, addOnMs } = patienceWith(account, deps.patience);
  const { catalogue = [], ...sources } = deps.addOns ?? {};
  const own = findDeployerCloud(account.cloud)?.addOns ?? [];
  const entries = [...new Map([...own, ...catalogue].map((each) => [each.name, each])).values()];
  const { wanted, refused } = chooseAddOns(entries, account.cloud, requireEntity(task, "Cluster").spec);
  const results = await withCluster(deps, task, account, async (cluster) => {
    await awaitApi(cluster.client, clock, reachMs, task.signal);
    const site: Site = { ...cluster, account, task, readyNodes: await countReadyNodes(cluster.client, task.signal) };
    const inventory = await openInventory(site.client, task.signal);
    // An installed add-on is left unchanged if its new settings are invalid.
    const kept = new Set([...wanted.map(({ addOn }) => addOn.name), ...refused.map(({ name }) => name)]);
    const done: Result[] = (await removeUnwanted(site, inventory, sources, kept)).map((each) => ({ ...each, isFinal: false }));
    for (const [index, each] of wanted.entries()) {
      const { name } = each.addOn;
      const message = `installing ${name} (${index + 1} of ${wanted.length} add-ons)`;
      const now = { name, version: each.version, phase: "INSTALLING", message: "" };
      task.progress(Math.round((index / wanted.length) * 100), message, { addOns: [...done.map(renderResult), now] });
      const result = await installOne(clock, task, each, () => install(site, inventory, sources, each, addOnMs));
      task.log(`${name} ${result.version}: ${result.phase}${result.message === "" ? "" : `, ${result.message}`}`);
      done.push(result);
    }
    return done;
  });
  return conclude([...results, ...refused.map((each) => ({ ...each, isFinal: true }))]);
}

async function install(
  site: Site,
  inventory: Inventory,
  sources: ChartSources,
  wanted: WantedAddOn,
  deadlineMs: number,
): Promise<Pick<AddOnStatus, "phase" | "message"> & { readonly version?: string }> {
  const { install: how } = wanted.addOn;
  switch (how.by) {
    case "manifests":
      return installManifests(site, inventory, how, wanted, deadlineMs);
    case "chart":
      return installChart(site, inventory, sources, how, wanted, deadlineMs);
    case "cloud":
      return lookAtManaged(site, how, wanted, deadlineMs);
  }
}

const tries = 3;
const pauseMs = 2000;

/** Installs one add-on and retries transient errors. A timeout is not retried. */
async function installOne(
  clock: Clock,
  task: DeployerTask,
  { addOn, version }: WantedAddOn,
  act: () => ReturnType<typeof install>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const stand = await act();
      return { name: addOn.name, version, ...stand, isFinal: stand.phase === "FAILED" };
    } catch (error) {
      task.signal.throwIfAborted();
      const isPassing = error instanceof Fault && error.retry === "backoff";
      const isLate = error instanceof Fault && error.code === kubeFaults.not_in_time.code;
      if (!isPassing || isLate || attempt === tries) {
        return { name: addOn.name, version, phase: "FAILED", message: describeError(error), isFinal: !isPassing };
      }
      task.log(`${addOn.name}: attempt ${attempt} failed: ${describeError(error)}`);
      await clock.sleep(pauseMs * attempt, task.signal);
    }
  }
}

function renderResult({ name, version, phase, message }: Result): JsonObject {
  return { name, version, phase, message };
}

function conclude(results: readonly Result[]): DeployerOutcome {
  const addOns = results.map(renderResult);
  const failed = results.filter(({ phase }) => phase === "FAILED");
  if (failed.length === 0) return { outcome: "done", outputs: { addOns } };
  const isFinal = failed.every((each) => each.isFinal);
  const { code, help } = isFinal ? deployerFaults.add_ons_refused : deployerFaults.add_ons_failed;
  const said = failed.map(({ name, message }) => `${name}: ${message}`).join("; ");
  const message = `${failed.length} of ${results.length} add-ons failed: ${said}`;
  return { outcome: "failed", fault: { code, message, help, permanent: isFinal }, outputs: { addOns } };
}
