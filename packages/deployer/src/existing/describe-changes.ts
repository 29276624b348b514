import type { ClusterInfo } from "@cloudwright/clouds";
import type { PlannedChange } from "../executor/executor-plan.ts";
import type { PreviewItem } from "../executor/preview-item.ts";
import { objectOf, textOf } from "../read-spec.ts";
import type { JsonObject } from "../task.ts";
import { clusterAddress, poolAddress, renderChange, takeSnapshot, type Snapshot } from "./describe-resources.ts";
import type { ExistingCloud } from "./existing-cloud.ts";
import type { ExistingChange } from "./plan-changes.ts";

/** Describes changes as a plan, one entry per resource. */
export function describeChanges(
  cloud: ExistingCloud,
  cluster: ClusterInfo,
  changes: readonly ExistingChange[],
): readonly PlannedChange[] {
  const now = takeSnapshot(cloud, cluster);
  const next: Record<string, JsonObject | null> = {};
  for (const change of changes) {
    const address = change.do === "upgrade" ? clusterAddress(cloud) : poolAddress(cloud, change.pool);
    next[address] = change.do === "delete-pool" ? null : { ...(next[address] ?? now[address]), ...renderAttributes(change) };
  }
  return Object.entries(next).map(([address, after]) => {
    const before = now[address] ?? null;
    return renderChange(address, after === null ? "delete" : before === null ? "create" : "update", before, after);
  });
}

function renderAttributes(change: Exclude<ExistingChange, { do: "delete-pool" }>): JsonObject {
  switch (change.do) {
    case "upgrade":
    case "upgrade-pool":
      return { version: change.version };
    case "label":
      return { labels: { ...change.labels } };
    case "resize": {
      const { count, min, max } = change;
      return {
        ...(count === undefined ? {} : { desired_size: count }),
        ...(min === undefined ? {} : { min_size: min }),
        ...(max === undefined ? {} : { max_size: max }),
      };
    }
    case "create-pool": {
      const { name = "", count, min = count, max = count, type, labels = {}, tags = {} } = change.request;
      const types = type === undefined ? [] : [type];
      return {
        name,
        desired_size: count,
        min_size: min,
        max_size: max,
        instance_types: types,
        labels: { ...labels },
        tags: { ...tags },
      };
    }
  }
}

/** Describes the pools that the platform takes over. Taking over a pool does not change it. */
export function describeTakeover(cloud: ExistingCloud, snapshot: Snapshot, pools: readonly string[]): readonly PlannedChange[] {
  return pools.map((pool) => {
    const address = poolAddress(cloud, pool);
    const attributes = snapshot[address] ?? {};
    return { ...renderChange(address, "import", attributes, attributes), importId: textOf(attributes["id"]) };
  });
}

/** Describes one change of a plan for a preview. */
export function describeItem({ address, action, before, after, name, changedPaths }: PlannedChange): readonly PreviewItem[] {
  const part = address.endsWith(".this") ? "infrastructure" : "nodes";
  const shown = objectOf((after ?? before) as JsonObject);
  if (action === "import") {
    const size = `${show(shown["desired_size"])} nodes, Kubernetes ${show(shown["version"])}`;
    return [{ part, name, action: "keep", message: `the platform takes over this pool (${size}); nothing about it changes` }];
  }
  const from = objectOf(before as JsonObject);
  const details = [...new Set(changedPaths.map(({ path }) => String(path[0])))].map((field) =>
    action === "update" ? `${field} ${show(from[field])} -> ${show(shown[field])}` : `${field} ${show(shown[field])}`,
  );
  return [{ part, name: part === "nodes" ? name : address, action, message: details.join(", ") }];
}

function show(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : JSON.stringify(value ?? null);
}
