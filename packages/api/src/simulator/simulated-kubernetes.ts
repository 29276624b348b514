import { listClusterTypes } from "@cloudwright/contract";
import type { Secret } from "@cloudwright/platform";
import type { SimulatedClusterRow } from "@cloudwright/store";

/** What clients of a simulated cluster need to connect. */
export interface SimulatedClusterEndpoint {
  readonly endpoint: string;
  readonly caPem: string;
  /** Returns a token that is valid as long as the cluster exists, for runs that work in it. */
  tokenFor(role: "admin" | "viewer"): Secret;
  /** Renders a kubeconfig for users, valid until the given time. */
  kubeconfigFor(role: "admin" | "viewer", expiresAt: Date): Secret;
}

/** The Kubernetes APIs of simulated clusters, as far as this package uses them. */
export interface SimulatedKubernetes {
  /** Called when clusters or their machines may have changed in a simulated cloud. */
  notify(): void;
  /** Returns how to reach a cluster, whichever replica serves it. */
  open(cluster: Pick<SimulatedClusterRow, "id" | "version" | "createdAtMs">): Promise<SimulatedClusterEndpoint>;
}

/** Returns whether a change of a record of this type changes a cluster. */
export function makesClusters(type: string): boolean {
  return listClusterTypes().all.includes(type);
}
