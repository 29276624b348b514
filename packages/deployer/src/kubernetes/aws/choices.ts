import { objectOf, textOf, textsOf } from "../../read-spec.ts";
import type { JsonObject } from "../../task.ts";

/**
 * Defaults that a cluster got when it was created, read from the outputs of its last apply. A later version of the platform may have other
 * defaults for new clusters. Existing clusters keep theirs.
 */
export interface Choices {
  /** True if the cluster has never been built. */
  readonly isNew: boolean;
  /**
   * Version of the configuration whose defaults apply. Empty for clusters that were created before v1.1.0. The defaults of v1.1.0 do not apply
   * to them.
   */
  readonly since: string;
  /** Address ranges that may access the public endpoint if the spec does not name any. Empty if none have been chosen yet. */
  readonly publicRanges: readonly string[];
  /** Support policy to use if the spec does not name one. Undefined if none has been chosen yet. */
  readonly supportType: string | undefined;
  readonly creatorArn: string | undefined;
  /** Returns the defaults that a pool keeps, or undefined if the pool has no nodes yet. */
  findPool(name: string): PoolChoices | undefined;
}

/** Defaults that a pool keeps, because a change would replace its nodes. */
export interface PoolChoices {
  readonly encryptsRoot: boolean;
  readonly tags: Readonly<Record<string, string>>;
  /** Subnets of a pool that is not limited to certain zones. */
  readonly subnetIds: readonly string[];
}

const firstVersion = "v0.1.0";

const currentDefaults = "v1.1.0";

export function readChoices(outputs: JsonObject): Choices {
  const recorded = objectOf(outputs["choices"]);
  const isNew = textOf(outputs["cluster_name"]) === "";
  return {
    isNew,
    since: isNew ? currentDefaults : textOf(recorded["since"]),
    publicRanges: textsOf(recorded["public_access_cidrs"]),
    supportType: textOf(recorded["support_type"]) || undefined,
    creatorArn: textOf(recorded["creator_arn"]) || undefined,
    findPool: (name) => findPool(outputs, name),
  };
}

function findPool(outputs: JsonObject, name: string): PoolChoices | undefined {
  // An upgrade from v0.1.0 replaces all node groups.
  const isBuilt = textsOf(outputs["node_group_names"]).includes(name) && outputs["infra_version"] !== firstVersion;
  if (!isBuilt) return undefined;
  const recorded = objectOf(objectOf(outputs["choices"])["node_pools"])[name];
  // v1.0.0 encrypts only the second disk, does not set user-defined tags, and spreads a pool that specifies no zones across all worker subnets.
  if (recorded === undefined) return { encryptsRoot: false, tags: {}, subnetIds: textsOf(outputs["worker_subnet_ids"]) };
  const { encrypts_root: encryptsRoot, is_zoned: isZoned, subnet_ids: subnetIds, tags } = objectOf(recorded);
  return {
    encryptsRoot: encryptsRoot === true,
    tags: Object.fromEntries(Object.entries(objectOf(tags)).map(([key, value]) => [key, textOf(value)])),
    subnetIds: isZoned === true ? [] : textsOf(subnetIds),
  };
}
