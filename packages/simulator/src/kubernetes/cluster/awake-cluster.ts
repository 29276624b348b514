import type { Clock, Ipv4Range } from "@cloudwright/platform";
import type { KindIndex } from "../kinds/kind-index.ts";
import type { ClusterRecord } from "../objects/kubernetes-objects.ts";
import type { ClusterState } from "./cluster-state.ts";

/** A cluster that is loaded into memory. Requests and controllers operate on it. */
export interface AwakeCluster {
  readonly record: ClusterRecord;
  readonly state: ClusterState;
  readonly kinds: KindIndex;
  readonly clock: Clock;
  /** Signs and verifies service account tokens. */
  readonly tokenKey: Buffer;
  /** The address range of Services. */
  readonly services: Ipv4Range;
  /** The root certificate that pods receive. */
  readonly certificateAuthorityPem: string;
}
