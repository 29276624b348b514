/**
 * Client for the Kubernetes API of one cluster: find, list, watch, apply, delete, and wait for a state. It knows what all kinds have in
 * common and what "ready" means for a few of them. It must not know the product's entities, clouds, or where its tokens come from.
 */
export * from "./faults.ts";
export { fieldManager, type ApplyOptions } from "./apply.ts";
export {
  createKubeClient,
  type AccountToken,
  type DeleteOptions,
  type KubeClient,
  type KubeList,
  type KubeSelection,
  type ServiceCall,
} from "./create-client.ts";
export { drainNodes, type DrainOptions, type RemainingPod } from "./drain.ts";
export { describeRef, refOf, type KubeKind, type KubeObject, type KubeRef } from "./kube-object.ts";
export { isNodeReady, isReady } from "./readiness.ts";
export type { KubeAccess } from "./transport.ts";
export { waitForObject, waitForObjects, waitUntilGone, type Look, type WaitOptions } from "./wait-for.ts";
export type { KubeEvent } from "./watch-events.ts";
