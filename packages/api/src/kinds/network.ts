import { defaultNetworkCidr } from "@cloudwright/contract";
import { isObject, textAt } from "../entities/json-tree.ts";
import type { KindRules } from "./kind-rules.ts";

export const networkRules: KindRules = {
  normalise(spec, current) {
    // A network that already exists in the cloud keeps its own address range, which its status shows.
    const usual = isObject(spec["existing"]) ? "" : defaultNetworkCidr;
    return { ...spec, cidr: textAt(spec, "cidr") || textAt(current, "cidr") || usual };
  },
};
