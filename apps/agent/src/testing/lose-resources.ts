import { isObject, listOf, parseJson, type JsonObject } from "@cloudwright/platform";
import type { TestEntity, TestPlatform } from "./test-platform.ts";

/**
 * Removes each managed resource from an entity's state with this probability, as if Terraform was killed before it saved them. Returns the number
 * of lost resources.
 */
export function loseResources(platform: TestPlatform, entity: TestEntity, probability: number, random: () => number): number {
  const state = parseJson(platform.endpoint.state(entity.uid) ?? "") as JsonObject & { serial: number };
  let lost = 0;
  const resources = listOf(state["resources"]).filter(isObject);
  const left = resources.map((resource) => ({
    ...resource,
    instances: listOf(resource["instances"]).filter(() => {
      const isLost = resource["mode"] === "managed" && random() < probability;
      lost += isLost ? 1 : 0;
      return !isLost;
    }),
  }));
  const kept = left.filter(({ instances }) => instances.length > 0);
  platform.endpoint.putState(entity.uid, JSON.stringify({ ...state, serial: state.serial + 1, resources: kept }));
  return lost;
}
