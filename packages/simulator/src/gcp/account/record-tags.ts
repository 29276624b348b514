import { readTags } from "@cloudwright/contract/clouds/gcp/descriptions";
import type { Owned } from "../../cloud/simulated-cloud.ts";
import type { CloudRecord } from "../../inventory/inventory.ts";
import { blockOf, mapOf, textOf } from "../../values/read-value.ts";
import type { Value } from "../../values/value.ts";

/** Returns the labels of a resource. Clusters and node pools store them in `resource_labels`. */
export function labelsOf({ attributes }: Pick<CloudRecord, "attributes">): Readonly<Record<string, string>> {
  const values: Readonly<Record<string, Value>> = {
    ...mapOf(blockOf(attributes, "node_config")["resource_labels"]),
    ...mapOf(attributes["resource_labels"]),
    ...mapOf(attributes["labels"]),
  };
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, textOf(value)]));
}

/** Returns the ownership tags of a resource, read from its labels or description. */
export function tagsOf(record: Pick<CloudRecord, "attributes">): Readonly<Record<string, string>> {
  return readTags({ labels: labelsOf(record), description: textOf(record.attributes["description"]) });
}

/** Returns the entity that owns a resource. */
export function ownerOf(record: Pick<CloudRecord, "attributes">): Owned {
  const owner = tagsOf(record)["cloudwright:entity"];
  return owner === undefined ? {} : { owner };
}
