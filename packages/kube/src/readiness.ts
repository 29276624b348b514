import { describeRef, refOf, type KubeObject } from "./kube-object.ts";
import type { Look } from "./wait-for.ts";

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly message?: string;
  readonly reason?: string;
}

function findCondition(object: KubeObject, type: string): Condition | undefined {
  return (object.status?.conditions as readonly Condition[] | undefined)?.find((condition) => condition.type === type);
}

/** Returns whether a node is ready for pods. */
export function isNodeReady(node: KubeObject): boolean {
  return node.metadata.deletionTimestamp === undefined && findCondition(node, "Ready")?.status === "True";
}

/**
 * Returns true if an object has reached its desired state. Otherwise returns a description of what is missing. Objects of kinds that do not
 * report readiness are ready once they exist.
 */
export function isReady(object: KubeObject): Look {
  const what = describeRef(refOf(object));
  const { status = {}, spec = {}, metadata } = object;
  const isSeen = metadata.generation === undefined || (status.observedGeneration ?? 0) >= metadata.generation;
  const count = (has: number | undefined, wanted: number, word: string): Look =>
    isSeen && (has ?? 0) >= wanted ? true : `${what}: ${has ?? 0} of ${wanted} ${word}`;
  /**
   * Checks that enough pods have the current revision. Objects with the `OnDelete` update strategy are exempt, because users decide when
   * their pods are replaced.
   */
  const renewed = (has: number | undefined, wanted: number): Look =>
    !isSeen || spec.updateStrategy?.type === "OnDelete" || (has ?? 0) >= wanted
      ? true
      : `${what}: ${has ?? 0} of ${wanted} pods are up to date`;
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
