import { isExistingCluster, type JsonObject } from "@cloudwright/contract";
import { isObject } from "@cloudwright/platform";
import type { Scope } from "../engine/scope.ts";
import type { Step } from "../engine/step.ts";

function isExisting({ entity }: Scope): boolean {
  return isExistingCluster(entity.object.spec);
}

/** Skips a step for clusters that the platform did not create, because the step changes objects inside the cluster. */
export function unlessExisting(step: Step): Step {
  return {
    ...step,
    decide: (scope, work, rules) =>
      isExisting(scope)
        ? { do: "continue", message: "not needed: the platform did not create the cluster" }
        : step.decide(scope, work, rules),
  };
}

/**
 * Wraps the step that destroys the infrastructure. Clusters that the platform did not create are released instead: nothing in the cloud
 * changes. A run in progress must end first. Otherwise, it would keep changing a cluster that the platform no longer tracks.
 */
export function releaseExisting(destroy: Step): Step {
  return {
    ...destroy,
    decide(scope, work, rules) {
      if (!isExisting(scope)) return destroy.decide(scope, work, rules);
      const running = scope.tasks.find(({ state }) => state === "leased");
      if (running !== undefined)
        return { do: "wait", reason: "Working", message: `waiting for ${running.type} to end`, task: running };
      return { do: "continue", message: "released: nothing in the cloud was changed" };
    },
  };
}

/** Reads the status fields that exist only for clusters that the platform did not create. */
export function readExistingStatus({ existing }: JsonObject): JsonObject {
  return existing !== undefined && isObject(existing) ? { existing } : {};
}
