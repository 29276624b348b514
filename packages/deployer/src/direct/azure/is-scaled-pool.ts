/**
 * Attributes that something other than the platform may change. `ready` is false while AKS itself changes the resource. Autoscalers change
 * the current node counts. A pool without an autoscaler also has the `node_count` attribute, which is not in this list. AKS may install a
 * newer patch version and rotate certificates.
 */
const changing: ReadonlySet<string> = new Set([
  "ready",
  "current_node_count",
  "default_node_count",
  "current_kubernetes_version",
  "host",
  "cluster_ca_certificate",
]);

/** Returns whether something other than the platform may change an attribute. */
export function isScaledPool(_resource: unknown, path: readonly (string | number)[]): boolean {
  return changing.has(String(path[0]));
}
