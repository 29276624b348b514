import { listClusterTypes } from "@cloudwright/contract";
import type { Secret } from "@cloudwright/platform";
import type { SimulatedClusterRow } from "@cloudwright/store";

/** The connection details of a simulated cluster. */
export interface SimulatedClusterEndpoint {
  readonly endpoint: string;
  readonly caPem: string;
  /** Returns a token for runs. It is valid until the given time. */
  tokenFor(role: "admin" | "viewer", expiresAt: Date): Secret;
  /**
   * Renders a kubeconfig for users. It is valid until the given time, or until the API key that `source` identifies is revoked or rotated.
   */
  kubeconfigFor(role: "admin" | "viewer", expiresAt: Date, source?: string): Secret;
}

/** The interface to the Kubernetes APIs of simulated clusters. */
export interface SimulatedKubernetes {
  /** Must be called when clusters or their machines may have changed in a simulated cloud. */
  notify(): void;
  /** Returns the connection details of a cluster, regardless of which replica serves it. */
  open(cluster: Pick<SimulatedClusterRow, "id" | "version" | "createdAtMs">): Promise<SimulatedClusterEndpoint>;
}

/** Returns whether records of this type represent clusters or parts of clusters. */
export function makesClusters(type: string): boolean {
  return listClusterTypes().all.includes(type);
}
