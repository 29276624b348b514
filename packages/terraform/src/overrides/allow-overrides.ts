import { findCloud } from "@cloudwright/contract/clouds";
import type { AllowedInOverrides } from "./override-problem.ts";

/** Attributes in which clouds store tags. They are reserved because tags record ownership. Users set tags through labels. */
const taggingAttributes = ["tags", "tag", "labels"];

/** Locals of the configurations in `infra/` from which ownership tags and resource names are derived. */
const ownershipLocals = ["owned", "owned_key", "uid"];

/** Blocks and attributes that record who owns the resources that another resource creates, such as the machines of a node group. */
const nestedTagging = ["tag_specifications", "resource_labels"];

/**
 * Returns the rules for overrides in a cloud: the available providers and the reserved names. `providers` contains the local names of the
 * stack's providers.
 */
export function allowOverrides(cloud: string, providers: readonly string[]): AllowedInOverrides {
  const facts = findCloud(cloud);
  return {
    providers,
    reserved: [...taggingAttributes, ...ownershipLocals, ...(facts?.tags?.attributes ?? [])],
    reservedAnywhere: [...nestedTagging, ...(facts?.terraform.placeArguments ?? [])],
    identities: facts?.terraform.identityArguments,
  };
}
