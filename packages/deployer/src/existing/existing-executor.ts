import type { CloudLibrary, ClusterInfo } from "@cloudwright/clouds";
import { isPayloadOf, type TaskPayload } from "@cloudwright/contract";
import { Fault, objectOf, parseJson } from "@cloudwright/platform";
import { createHash } from "node:crypto";
import { describeDrift, type Drift } from "../executor/describe-drift.ts";
import type { ExecutorOutputs, ExecutorWork, OpenedExecutor, ServiceExecutor } from "../executor/executor.ts";
import type { ExecutorPlan } from "../executor/executor-plan.ts";
import { readInfraSettings } from "../executor/infra-settings.ts";
import { deployerFaults } from "../faults.ts";
import { existingProvisioner } from "../provisioner.ts";
import type { DeployerTask, JsonObject } from "../task.ts";
import { applyChanges } from "./apply-changes.ts";
import { describeChanges, describeItem, describeTakeover } from "./describe-changes.ts";
import { clusterAddress, compareSnapshots, readBaseline, takeSnapshot, type Snapshot } from "./describe-resources.ts";
import type { ExistingCloud } from "./existing-cloud.ts";
import { findDeniedActions, lookInside, type MissingRight, type SeenInside } from "./find-missing-rights.ts";
import { listChanges, planChanges, type ExistingChange } from "./plan-changes.ts";
import { findOwner, openLibrary, readCluster, requireExisting } from "./read-cluster.ts";
import { renderOutputs } from "./render-outputs.ts";

/**
 * Creates an executor for clusters that the platform did not create. The executor observes a cluster, and changes its pools and version if
 * the spec requests it. It keeps no state document: every run reads the cloud, and the outputs of the last run contain the baseline. It
 * never deletes the cluster.
 */
export function createExistingExecutor(cloud: string, facts: ExistingCloud): ServiceExecutor {
  return {
    name: existingProvisioner,
    provisioner: existingProvisioner,
    service: "cluster",
    cloud,
    isForeign: true,
    checkSpec: ({ task }) => void requireExisting(task),
    open: (work) => openExecutor(facts, work),
    describeChange: describeItem,
  };
}

function openExecutor(facts: ExistingCloud, work: ExecutorWork): OpenedExecutor {
  const { task } = work;
  let opening: Promise<CloudLibrary> | undefined;
  const open = (): Promise<CloudLibrary> => (opening ??= openLibrary(work));
  const read = async (): Promise<ClusterInfo> => readCluster(await open(), task);
  return {
    async preflight() {
      await read();
    },
    adopt: async () => [],
    async plan() {
      task.progress(10, "reading the cluster");
      return plan(facts, work, await read());
    },
    async apply(takeSavedPlan) {
      const { seen, changes } = unpackPlan(await takeSavedPlan());
      const before = await read();
      if (seen !== hashOf(takeSnapshot(facts, before)))
        throw new Fault(deployerFaults.plan_gone, "the cluster has changed since the plan was made; a new plan is needed");
      const failed = await applyChanges(await open(), work, { cluster: before.id, changes });
      const { problems } = planChanges(facts, requireCluster(task), before);
      const outputs = await conclude(facts, work, changes.length === 0 ? before : await read(), changes);
      return { ...outputs, problems: [...problems, ...failed] };
    },
    async findMissingRights() {
      const cluster = await read();
      const inside = await lookAt(facts, work, cluster);
      const missing = [...(await findDenied(facts, work, cluster)), ...inside.missing];
      return missing.map(({ where, message, help }) => ({
        field: where === "cloud" ? "account" : "",
        message,
        help,
        severity: where === "cloud" ? "must" : "should",
      }));
    },
    destroy: async () => Promise.reject(refuse(task)),
    async findDrift() {
      task.progress(10, "reading the cluster");
      const found = await (await open()).clusters.find(requireExisting(task).id, { signal: task.signal });
      return findDrift(facts, work, found);
    },
    close: async () => undefined,
  };
}

function refuse({ payload: { entity } }: DeployerTask): Fault {
  const message = `Cluster "${entity.name}" was not created by the platform, so the platform does not delete it`;
  return new Fault(deployerFaults.not_created_here, message);
}

function requireCluster({ payload }: DeployerTask): TaskPayload<"Cluster"> {
  if (isPayloadOf(payload, "Cluster")) return payload;
  throw new Fault(deployerFaults.bad_spec, `${payload.entity.kind} "${payload.entity.name}" is not a cluster`);
}

function plan(facts: ExistingCloud, { task, action }: ExecutorWork, cluster: ClusterInfo): ExecutorPlan {
  const payload = requireCluster(task);
  const snapshot = takeSnapshot(facts, cluster);
  const baseline = readBaseline(payload.outputs);
  // A preview shows what is wrong with any pool.
  const changes = action === "preview" ? listChanges(facts, payload, cluster) : planChanges(facts, payload, cluster).changes;
  const address = clusterAddress(facts);
  const takenOver = action === "preview" ? describeTakeover(facts, snapshot, listTakenOver(payload, cluster)) : [];
  const bytes = Buffer.from(JSON.stringify({ format, seen: hashOf(snapshot), changes }));
  return {
    changes: [...describeChanges(facts, cluster, changes), ...takenOver],
    drift: baseline === undefined ? [] : compareSnapshots(baseline, snapshot),
    dependencies: cluster.nodePools.map(({ name }) => ({ address: `${facts.types.pool}.${name}`, needs: [address] })),
    base: { serial: 0, lineage: "" },
    digest: createHash("sha256").update(bytes).digest("hex"),
    save: async () => bytes,
  };
}

/** Lists the pools that `cloud k8s manage` would take over: all pools that the platform neither created nor manages yet. */
function listTakenOver({ entity, formerSpec, nodePools }: TaskPayload<"Cluster">, cluster: ClusterInfo): string[] {
  if (entity.spec.existing?.mode !== "manage" || formerSpec?.existing?.mode === "manage") return [];
  const managed = new Set(nodePools.map(({ name }) => name));
  return cluster.nodePools.filter((pool) => findOwner(pool) === undefined && !managed.has(pool.name)).map(({ name }) => name);
}

const format = "cloudwright.existing.plan/1";

function unpackPlan(bytes: Buffer): { readonly seen: string; readonly changes: readonly ExistingChange[] } {
  const saved = objectOf(parseJson(bytes.toString()));
  if (saved["format"] === format) return saved as unknown as { seen: string; changes: readonly ExistingChange[] };
  throw new Fault(deployerFaults.plan_gone, "the plan was made by another executor; a new plan is needed");
}

function hashOf(snapshot: Snapshot): string {
  return createHash("sha256").update(JSON.stringify(snapshot)).digest("hex");
}

/** Returns the outputs of a run. The baseline changes only where the run changed something, so that earlier drift stays visible. */
async function conclude(
  facts: ExistingCloud,
  work: ExecutorWork,
  cluster: ClusterInfo,
  changes: readonly ExistingChange[],
): Promise<ExecutorOutputs> {
  const snapshot = takeSnapshot(facts, cluster);
  const former = readBaseline(work.task.payload.outputs);
  const baseline = former === undefined ? snapshot : mergeBaseline(facts, { former, snapshot, changes });
  return { status: { ...(await observe(facts, work, cluster)), baseline: { ...baseline } }, version: "existing" };
}

function mergeBaseline(
  facts: ExistingCloud,
  {
    former,
    snapshot,
    changes,
  }: { readonly former: Snapshot; readonly snapshot: Snapshot; readonly changes: readonly ExistingChange[] },
): Snapshot {
  const merged: Record<string, JsonObject> = { ...former };
  const top = clusterAddress(facts);
  for (const change of changes) {
    const address = change.do === "upgrade" ? top : `${facts.types.pool}.${change.pool}`;
    const now = snapshot[address];
    if (now === undefined) delete merged[address];
    else merged[address] = now;
    if (change.do === "create-pool" || change.do === "delete-pool")
      merged[top] = { ...merged[top], node_pools: snapshot[top]?.["node_pools"] ?? [] };
  }
  return merged;
}

async function observe(facts: ExistingCloud, work: ExecutorWork, cluster: ClusterInfo): Promise<JsonObject> {
  const managed = new Set(isManaged(work) ? work.task.payload.nodePools.map(({ name }) => name) : []);
  return renderOutputs(facts, cluster, await lookAt(facts, work, cluster), {
    missing: await findDenied(facts, work, cluster),
    managed,
  });
}

function isManaged({ task }: Pick<ExecutorWork, "task">): boolean {
  return requireExisting(task).mode === "manage";
}

async function lookAt(facts: ExistingCloud, work: ExecutorWork, cluster: ClusterInfo): Promise<SeenInside> {
  const { task, session } = work;
  const { id, name, region, authenticationMode, endpoint = "", certificateAuthority = "" } = cluster;
  if (endpoint === "") return { missing: [] };
  const address = {
    id,
    name,
    region,
    authenticationMode,
    endpoint,
    caPem: Buffer.from(certificateAuthority, "base64").toString(),
  };
  return lookInside(facts, await session.openCloud(), address, { isManaged: isManaged(work), signal: task.signal });
}

/**
 * Lists the cloud permissions that are missing for a managed cluster. Observing a cluster needs no permissions beyond those of the calls
 * that have already succeeded.
 */
async function findDenied(facts: ExistingCloud, work: ExecutorWork, cluster: ClusterInfo): Promise<readonly MissingRight[]> {
  return isManaged(work) ? findDeniedActions(facts, await work.session.openCloud(), cluster) : [];
}

/** Compares the cluster with the baseline. A cluster that no longer exists is drift, not a failure. */
async function findDrift(facts: ExistingCloud, work: ExecutorWork, cluster: ClusterInfo | undefined): Promise<Drift> {
  const { task } = work;
  const baseline = readBaseline(task.payload.outputs) ?? {};
  const { ignore } = readInfraSettings(task.payload.entity);
  const gone = { existing: { state: "gone", nodePools: [], missingRights: [] }, readyNodes: 0, wantedNodes: 0 };
  const snapshot = cluster === undefined ? {} : takeSnapshot(facts, cluster);
  const drift = describeDrift(compareSnapshots(baseline, snapshot), ignore);
  return { ...drift, observed: cluster === undefined ? gone : await observe(facts, work, cluster) };
}
