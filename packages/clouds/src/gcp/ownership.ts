import { readTags } from "@cloudwright/contract/clouds/gcp/descriptions";
import { ownerTag, type Held } from "../account-view.ts";

/** Returns the owner that is named in a resource's labels or description. */
export function ownerOf(resource: { readonly labels?: Readonly<Record<string, string>>; readonly description?: string }): Held {
  const owner = readTags(resource)[ownerTag];
  return owner === undefined ? {} : { owner };
}
