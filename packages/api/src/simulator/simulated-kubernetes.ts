import { listClusterTypes } from "@cloudwright/contract";
import type { Secret } from "@cloudwright/platform";
import type { SimulatedClusterRow } from "@cloudwright/store";

/** What clients of a simulated cluster need. */
export interface SimulatedClusterDoor {
  readonly endpoint: string;
  readonly caPem: string;
  /** One that works for as long as the cluster is there, for those who work in it. */
  tokenFor(role: "admin" | "viewer"): Secret;
  /** For people: it works until then. */
  kubeconfigFor(role: "admin" | "viewer", expiresAt: Date): Secret;
}

/** The Kubernetes APIs of simulated clusters, as far as the API has to know of them. */
export interface SimulatedKubernetes {
  /** Told when clusters or their machines may have changed in a simulated cloud. */
  notify(): void;
  /** How a cluster is reached, whichever replica serves it. */
  open(cluster: Pick<SimulatedClusterRow, "id" | "version" | "createdAtMs">): Promise<SimulatedClusterDoor>;
}

/** Returns whether a change of a record of this type changes a cluster. */
export function makesClusters(type: string): boolean {
  return listClusterTypes().all.includes(type);
}
