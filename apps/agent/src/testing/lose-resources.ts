import { isObject, listOf, parseJson, textOf, type JsonObject, type ReadonlyJsonObject } from "@cloudwright/platform";
import type { TestEntity, TestPlatform } from "./test-platform.ts";

/** A managed resource, as recorded in an entity's state. */
export interface StateResource {
  readonly type: string;
  readonly id: string;
  /** The address without an instance key: `TYPE.NAME`. */
  readonly block: string;
  /** The blocks that this resource depends on, directly or indirectly. */
  readonly dependencies: readonly string[];
}

/**
 * Removes each managed resource from an entity's state with the given probability, as if Terraform had been killed before saving it.
 * Returns the number of removed resources.
 */
export function loseResources(platform: TestPlatform, entity: TestEntity, probability: number, random: () => number): number {
  const lost = new Set(pickResources(platform, entity, probability, random).map(keyOf));
  forgetResources(platform, entity, (resource) => lost.has(keyOf(resource)));
  return lost.size;
}

/**
 * Deletes random resources, and everything that depends on them, from the cloud, as a person might. Returns the deleted resources. The
 * state still contains them.
 */
export async function removeFromCloud(
  platform: TestPlatform,
  entity: TestEntity,
  probability: number,
  random: () => number,
): Promise<readonly StateResource[]> {
  const all = listStateResources(platform, entity);
  const blocks = new Set(pickResources(platform, entity, probability, random).map(({ block }) => block));
  const gone = all.filter(({ block, dependencies }) => blocks.has(block) || dependencies.some((each) => blocks.has(each)));
  const tenant = entity.account.uid;
  for (const { type, id } of gone) await platform.inventory.delete(tenant, { type, id });
  // When a cluster is deleted, EKS also deletes the access entry that it created for the cluster's creator.
  const clusters = new Set<unknown>(gone.filter(({ type }) => type === "aws_eks_cluster").map(({ id }) => id));
  for (const { type, id, attributes } of await platform.inventory.list(tenant, "aws_eks_access_entry")) {
    if (clusters.has(attributes["cluster_name"])) await platform.inventory.delete(tenant, { type, id });
  }
  // Deleting a route table also deletes its routes. Older configurations do not manage routes as separate resources.
  const tables = new Set((await entity.list("aws_route_table")).map(({ id }) => id));
  for (const { type, id, attributes } of await entity.list("aws_route")) {
    const tableId = attributes["route_table_id"];
    if (typeof tableId !== "string" || !tables.has(tableId)) await platform.inventory.delete(tenant, { type, id });
  }
  return gone;
}

/** Removes the chosen managed resources from an entity's state. */
export function forgetResources(
  platform: TestPlatform,
  entity: TestEntity,
  isForgotten: (resource: StateResource) => boolean,
): void {
  const state = readState(platform, entity);
  const left = listOf(state["resources"])
    .filter(isObject)
    .map((resource) => ({
      ...resource,
      instances: listOf(resource["instances"])
        .filter(isObject)
        .filter((instance) => resource["mode"] !== "managed" || !isForgotten(describeInstance(resource, instance))),
    }));
  const kept = left.filter(({ instances }) => instances.length > 0);
  platform.endpoint.putState(entity.uid, JSON.stringify({ ...state, serial: state.serial + 1, resources: kept }));
}

/** Marks the chosen managed resources as tainted, as Terraform does when their creation is interrupted. */
export function taintResources(
  platform: TestPlatform,
  entity: TestEntity,
  isTainted: (resource: StateResource) => boolean,
): void {
  const state = readState(platform, entity);
  const resources = listOf(state["resources"])
    .filter(isObject)
    .map((resource) => ({
      ...resource,
      instances: listOf(resource["instances"])
        .filter(isObject)
        .map((instance) => (isTainted(describeInstance(resource, instance)) ? { ...instance, status: "tainted" } : instance)),
    }));
  platform.endpoint.putState(entity.uid, JSON.stringify({ ...state, serial: state.serial + 1, resources }));
}

/** Returns the managed resources in an entity's state. */
export function listStateResources(platform: TestPlatform, entity: TestEntity): StateResource[] {
  return listOf(readState(platform, entity)["resources"])
    .filter(isObject)
    .filter(({ mode }) => mode === "managed")
    .flatMap((resource) =>
      listOf(resource["instances"])
        .filter(isObject)
        .map((instance) => describeInstance(resource, instance)),
    );
}

function pickResources(
  platform: TestPlatform,
  entity: TestEntity,
  probability: number,
  random: () => number,
): readonly StateResource[] {
  return listStateResources(platform, entity).filter(() => random() < probability);
}

function describeInstance(resource: ReadonlyJsonObject, instance: ReadonlyJsonObject): StateResource {
  const { attributes } = instance;
  return {
    type: textOf(resource["type"]),
    id: isObject(attributes) ? textOf(attributes["id"]) : "",
    block: `${textOf(resource["type"])}.${textOf(resource["name"])}`,
    dependencies: listOf(instance["dependencies"]).map(textOf),
  };
}

function keyOf({ block, id }: StateResource): string {
  return `${block} ${id}`;
}

function readState(platform: TestPlatform, entity: TestEntity): JsonObject & { serial: number } {
  return parseJson(platform.endpoint.state(entity.uid) ?? "") as JsonObject & { serial: number };
}
