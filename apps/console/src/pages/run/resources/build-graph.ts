import type { PlannedDependencyJson } from "@cloudwright/api-client";
import type { ResourceProgress } from "./resource-progress.ts";

/** A resource with all its instances. Terraform's dependencies are between resources, not between instances. */
export interface ResourceNode {
  /** The resource address without instance keys. */
  readonly address: string;
  readonly type: string;
  readonly module: string;
  readonly name: string;
  readonly instances: readonly ResourceProgress[];
  readonly state: ResourceProgress["state"];
}

/** `to` waits for `from`. During creation, a resource waits for its dependencies. During deletion, it waits for its dependents. */
export interface ResourceEdge {
  readonly from: string;
  readonly to: string;
}

/** The resources of a run, and the order in which Terraform processes them. */
export interface ResourceGraph {
  readonly nodes: readonly ResourceNode[];
  readonly edges: readonly ResourceEdge[];
}

/** Groups instances by resource and converts dependencies into execution order. A resource is deleted before its dependencies. */
export function buildGraph(
  resources: readonly ResourceProgress[],
  dependencies: readonly PlannedDependencyJson[],
): ResourceGraph {
  const groups = new Map<string, ResourceProgress[]>();
  for (const resource of resources) {
    const address = dropKeys(resource.address);
    groups.set(address, [...(groups.get(address) ?? []), resource]);
  }
  const nodes = [...groups].map(([address, instances]): ResourceNode => {
    const { module, name } = splitAddress(address);
    return { address, type: instances[0]?.type ?? "", module, name, instances, state: gatherState(instances) };
  });
  const isGoing = (address: string): boolean => groups.get(address)?.every(({ action }) => action === "delete") === true;
  const edges = dependencies.flatMap(({ address = "", needs = [] }) =>
    needs
      .filter((need) => groups.has(address) && groups.has(need))
      .map((need): ResourceEdge => (isGoing(address) ? { from: address, to: need } : { from: need, to: address })),
  );
  return { nodes, edges };
}

/** Returns the combined state of several instances. FAILED takes precedence, then RUNNING. */
function gatherState(instances: readonly ResourceProgress[]): ResourceProgress["state"] {
  const has = (wanted: ResourceProgress["state"]): boolean => instances.some(({ state }) => state === wanted);
  if (has("FAILED")) return "FAILED";
  if (has("RUNNING")) return "RUNNING";
  return has("WAITING") ? (has("DONE") ? "RUNNING" : "WAITING") : "DONE";
}

const keyPattern = /\[(?:\d+|"(?:[^"\\]|\\.)*")\]/g;

function dropKeys(address: string): string {
  return address.replaceAll(keyPattern, "");
}

/** Returns the readable key of an instance, such as `a` for `example_subnet.public["a"]`. Includes the keys of enclosing modules. */
export function keyOf(address: string): string {
  return [...address.matchAll(keyPattern)].map(([text]) => text.slice(1, -1).replaceAll(/^"|"$/g, "")).join(" ");
}

function splitAddress(address: string): { module: string; name: string } {
  const parts = address.split(".");
  const name = parts.at(-1) ?? "";
  return {
    module: parts
      .slice(0, -2)
      .filter((part) => part !== "module")
      .join("."),
    name,
  };
}

/** Returns a readable resource type, such as `route table` for `example_route_table`. */
export function readableType(type: string): string {
  return type.replace(/^[a-z0-9]+_/, "").replaceAll("_", " ");
}
