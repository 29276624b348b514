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
  /**
   * Returns credentials for the simulated API of an account's cloud. They are valid for twelve hours, but at most until `expiresAtMs`. They
   * become invalid earlier if the API key that `source` identifies is revoked or rotated, or if its holder loses the role. Rotation
   * invalidates all earlier credentials.
   */
  issueCredentials(
    account: { readonly uid: string; readonly cloud: string; readonly cloudAccount?: string | undefined },
    options: {
      readonly rotate: boolean;
      readonly region: string;
      readonly source: string;
      readonly expiresAtMs?: number | undefined;
    },
  ): Promise<SimulatedApiCredentials>;
}

/** Credentials for the simulated API of a cloud. */
export interface SimulatedApiCredentials {
  /** Environment variables for the cloud's own tools. Some of them are secrets. */
  readonly environment: Readonly<Record<string, string>>;
  readonly address: string;
  readonly caPem: string;
}

/** Returns whether records of this type represent clusters or parts of clusters. */
export function makesClusters(type: string): boolean {
  return listClusterTypes().all.includes(type);
}
