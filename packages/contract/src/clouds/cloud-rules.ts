import type { NetworkSpec } from "../../gen/cloudwright/v1/network_pb.ts";

/** Validation rules about one cloud's own fields. */
export interface CloudRules {
  /** CEL rules of the cloud's account message by id, as functions. They may accept only what the rule accepts. */
  readonly accountRules: Readonly<Record<string, (message: never) => boolean>>;
  /** Lists the cloud's own settings of a new network, and whether each is set. */
  listNetworkSettings(cloud: NetworkSpec["cloud"]): readonly (readonly [field: string, isSet: boolean])[];
  /** What each pattern of the cloud's own fields allows, in words that follow "must". */
  readonly patternWords: Readonly<Record<string, string>>;
}
