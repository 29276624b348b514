import { objectOf, textOf, textsOf } from "../../read-spec.ts";
import type { JsonObject } from "../../task.ts";

/**
 * The choices that were made when a cluster was created or upgraded, read from the outputs of its last apply. Later runs keep these
 * choices.
 */
export interface Choices {
  /** True if the cluster has never been built. */
  readonly isNew: boolean;
  /**
   * Version of the configuration whose defaults apply. Empty for clusters created with v1.0.0, so that an upgrade does not change their
   * behaviour.
   */
  readonly since: string;
  /** Ranges that may reach the public endpoint if the spec does not name any. Empty if none have been chosen yet. */
  readonly publicRanges: readonly string[];
  /** Version that the last run requested. Undefined if GKE chose the version. */
  readonly requestedVersion: string | undefined;
  /** Minor version of the control plane after the last apply. Empty before the first apply. */
  readonly minor: string;
  /** Hashes that the configuration uses to recognise existing pools, keyed by pool and zone. */
  readonly builtPools: JsonObject;
  /** Returns the zones of an existing pool, or an empty list if the pool has no nodes yet. */
  listZones(pool: string): readonly string[];
}

/** The latest version of the configuration in which defaults changed. */
const currentDefaults = "v1.1.0";

export function readChoices(outputs: JsonObject): Choices {
  const recorded = objectOf(outputs["choices"]);
  const isNew = textOf(outputs["cluster_name"]) === "";
  return {
    isNew,
    since: isNew ? currentDefaults : textOf(recorded["since"]),
    publicRanges: textsOf(recorded["public_access_cidrs"]),
    requestedVersion: textOf(recorded["requested_version"]) || undefined,
    minor: textOf(outputs["version"]),
    builtPools: objectOf(recorded["built_pools"]),
    listZones: (pool) => textsOf(objectOf(recorded["zones_of_pools"])[pool]),
  };
}
