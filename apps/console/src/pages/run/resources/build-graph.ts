import type { PlannedDependencyJson } from "@cloudwright/api-client";
import type { ResourceProgress } from "./resource-progress.ts";

/** A resource with its instances: what Terraform waits for as one. */
export interface ResourceNode {
  /** Without the keys of instances. */
  readonly address: string;
  readonly type: string;
  readonly module: string;
  readonly name: string;
  readonly instances: readonly ResourceProgress[];
  readonly state: ResourceProgress["state"];
}

/** One waits for the other: to be made for what it needs, to be removed for what needs it. */
export interface ResourceEdge {
  readonly from: string;
  readonly to: string;
}

/** The resources of a run and who waits for whom, in the order in which the work is done. */
export interface ResourceGraph {
  readonly nodes: readonly ResourceNode[];
  readonly edges: readonly ResourceEdge[];
}

/** Gathers instances to resources and turns needs into the order of work: what goes goes before what it needs. */
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

/** What is worst or liveliest of several. */
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

/** The key of an instance, as people read it: `eu-west-1a` of `aws_subnet.public["eu-west-1a"]`; of one in a module with keys, all of them. */
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

/** A type as people read it: `route table` of `aws_route_table`. */
export function readableType(type: string): string {
  return type.replace(/^[a-z0-9]+_/, "").replaceAll("_", " ");
}
