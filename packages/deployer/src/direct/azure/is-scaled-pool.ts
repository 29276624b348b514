/**
 * Attributes that change without the platform. `ready` is false during every change that AKS itself makes. The current numbers of nodes follow
 * an autoscaler; a pool without one also has the attribute `node_count`. AKS may install a newer patch version, and certificates are rotated.
 */
const changing: ReadonlySet<string> = new Set([
  "ready",
  "current_node_count",
  "default_node_count",
  "current_kubernetes_version",
  "host",
  "cluster_ca_certificate",
]);

/** Returns whether an attribute changes without the platform. */
export function isScaledPool(_resource: unknown, path: readonly (string | number)[]): boolean {
  return changing.has(String(path[0]));
}
