import { isExistingCluster } from "@cloudwright/contract";
import { textAt } from "../entities/json-tree.ts";
import type { KindRules } from "./kind-rules.ts";

export const nodePoolRules: KindRules = {
  isForeign: (spec) => spec["existing"] === true,
  checkAgainstOwner(spec, cluster) {
    if (!isExistingCluster(cluster.spec))
      return spec["existing"] === true
        ? [{ field: "spec.existing", message: "applies only to clusters with spec.existing" }]
        : [];
    if (textAt(cluster.spec, "existing", "mode") === "manage") return [];
    const message = `belongs to cluster "${cluster.name}", which is only observed; run \`cloud k8s manage ${cluster.name}\` first`;
    return [{ field: "parent", message }];
  },
};
