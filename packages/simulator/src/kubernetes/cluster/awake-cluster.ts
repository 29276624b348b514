import type { Clock } from "@cloudwright/platform";
import type { KindIndex } from "../kinds/kind-index.ts";
import type { ClusterRecord } from "../objects/kubernetes-objects.ts";
import type { ClusterState } from "./cluster-state.ts";

/** A cluster that is in memory: what requests and controllers work on. */
export interface AwakeCluster {
  readonly record: ClusterRecord;
  readonly state: ClusterState;
  readonly kinds: KindIndex;
  readonly clock: Clock;
  /** Signs and checks the tokens of service accounts. */
  readonly tokenKey: Buffer;
  /** Given to pods as the root of trust. */
  readonly certificateAuthorityPem: string;
}
