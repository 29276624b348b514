import type { NetworkSpec } from "../../gen/cloudwright/v1/network_pb.ts";

/** Validation rules for the fields that only one cloud has. */
export interface CloudRules {
  /**
   * Fast versions of the CEL rules for the cloud's account message, by rule id. They must not accept anything that the CEL rule rejects.
   */
  readonly accountRules: Readonly<Record<string, (message: never) => boolean>>;
  /** Lists the cloud's settings for a new network, and whether each of them is set. */
  listNetworkSettings(cloud: NetworkSpec["cloud"]): readonly (readonly [field: string, isSet: boolean])[];
  /** Describes what each pattern of the cloud's fields allows, in words that follow "must". */
  readonly patternWords: Readonly<Record<string, string>>;
}
