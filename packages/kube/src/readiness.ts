import { describeRef, refOf, type KubeObject } from "./kube-object.ts";
import type { Look } from "./wait-for.ts";

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly message?: string;
  readonly reason?: string;
}

/** A condition of an object. */
function findCondition(object: KubeObject, type: string): Condition | undefined {
  return (object.status?.conditions as readonly Condition[] | undefined)?.find((condition) => condition.type === type);
}

/** Whether a node takes pods. */
export function isNodeReady(node: KubeObject): boolean {
  return node.metadata.deletionTimestamp === undefined && findCondition(node, "Ready")?.status === "True";
}

/** Whether an object has become what it is meant to be; of kinds that become nothing it is enough to be there. */
export function isReady(object: KubeObject): Look {
  const what = describeRef(refOf(object));
  const { status = {}, spec = {}, metadata } = object;
  const isSeen = metadata.generation === undefined || (status.observedGeneration ?? 0) >= metadata.generation;
  const count = (has: number | undefined, wanted: number, word: string): Look =>
    isSeen && (has ?? 0) >= wanted ? true : `${what}: ${has ?? 0} of ${wanted} ${word}`;
  /** Pods of before that still run are not what is meant; only their owner replaces those of a set that is updated by hand. */
  const renewed = (has: number | undefined, wanted: number): Look =>
    !isSeen || spec.updateStrategy?.type === "OnDelete" || (has ?? 0) >= wanted
      ? true
      : `${what}: ${has ?? 0} of ${wanted} pods are new`;
  const both = (first: Look, second: Look): Look => (first === true ? second : first);
  const replicas: number = spec.replicas ?? 1;
  const scheduled: number = status.desiredNumberScheduled ?? 0;
  switch (object.kind) {
    case "Deployment":
      return both(renewed(status.updatedReplicas, replicas), count(status.availableReplicas, replicas, "pods are available"));
    case "StatefulSet":
      return both(
        renewed(status.updatedReplicas, replicas - (spec.updateStrategy?.rollingUpdate?.partition ?? 0)),
        count(status.readyReplicas, replicas, "pods are ready"),
      );
    case "DaemonSet":
      return both(
        renewed(status.updatedNumberScheduled, scheduled),
        count(status.numberAvailable, scheduled, "pods are available"),
      );
    case "Job":
      return count(status.succeeded, spec.completions ?? 1, "pods have succeeded");
    case "CustomResourceDefinition":
      return findCondition(object, "Established")?.status === "True" ? true : `${what} is not established`;
    case "APIService":
      return findCondition(object, "Available")?.status === "True" ? true : `${what} is not available`;
    case "Node":
      return isNodeReady(object) ? true : `${what} is not ready`;
    default:
      return true;
  }
}
