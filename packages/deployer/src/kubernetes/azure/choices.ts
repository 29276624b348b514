import { objectOf, textOf, textsOf } from "../../read-spec.ts";
import type { JsonObject } from "../../task.ts";

/**
 * Defaults that a cluster got when it was created, read from the outputs of its last apply. A later version of the platform may have other
 * defaults for new clusters. Existing clusters keep theirs.
 */
export interface Choices {
  /** True if the cluster has never been built. */
  readonly isNew: boolean;
  /** Version of the configuration whose defaults apply. */
  readonly since: string;
  /** Ranges that may reach the public endpoint if the spec does not name any. Empty if none have been chosen yet. */
  readonly publicRanges: readonly string[];
  /**
   * Whether an add-on that scales workloads has ever been enabled in the cluster. AKS keeps the settings of such add-ons even after they
   * are disabled.
   */
  readonly hasAutoscalers: boolean;
  /** Address ranges of pods and Services. Empty if they have not been chosen yet. */
  readonly podCidr: string;
  readonly serviceCidr: string;
  /** Returns the zones of an existing pool, or undefined if the pool has no nodes yet. */
  findZones(pool: string): readonly string[] | undefined;
}

export function readChoices(outputs: JsonObject, version: string): Choices {
  const recorded = objectOf(outputs["choices"]);
  const isNew = textOf(outputs["cluster_name"]) === "";
  const zones = objectOf(recorded["zones"]);
  return {
    isNew,
    since: isNew ? version : textOf(recorded["since"]),
    publicRanges: textsOf(recorded["public_access_cidrs"]),
    hasAutoscalers: recorded["autoscalers"] === true,
    podCidr: textOf(outputs["pod_cidr"]),
    serviceCidr: textOf(outputs["service_cidr"]),
    findZones: (pool) =>
      textsOf(outputs["node_group_names"]).includes(pool) && Object.hasOwn(zones, pool) ? textsOf(zones[pool]) : undefined,
  };
}
