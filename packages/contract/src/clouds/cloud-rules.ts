import type { FieldViolation } from "@cloudwright/platform";
import type { NetworkSpec } from "../../gen/cloudwright/v1/network_pb.ts";

/** Validation rules for the fields that only one cloud has. */
export interface CloudRules {
  /**
   * Fast versions of the CEL rules for the cloud's account message, keyed by rule id. They must not accept anything that the CEL rules
   * reject.
   */
  readonly accountRules: Readonly<Record<string, (message: never) => boolean>>;
  /** Fast versions of the CEL rules for the cloud-specific section of a cluster's spec. */
  readonly clusterRules?: Readonly<Record<string, (message: never) => boolean>>;
  /** Fast versions of the CEL rules for the cloud-specific section of a network's spec. */
  readonly networkRules?: Readonly<Record<string, (message: never) => boolean>>;
  /** Fast versions of the CEL rules for the cloud-specific section of a node pool's spec. */
  readonly nodePoolRules?: Readonly<Record<string, (message: never) => boolean>>;
  /** Lists the cloud-specific settings for new networks and whether each of them is set. */
  listNetworkSettings(cloud: NetworkSpec["cloud"]): readonly (readonly [field: string, isSet: boolean])[];
  /**
   * Returns a violation for each network setting that the cloud does not support. Must return no violations for networks in other clouds.
   */
  readonly checkNetwork?: (spec: NetworkSpec) => readonly FieldViolation[];
  /** Phrases that follow "must" in error messages and say what a pattern allows, keyed by pattern. */
  readonly patternWords: Readonly<Record<string, string>>;
}
