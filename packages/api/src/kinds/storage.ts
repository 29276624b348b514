import { isExistingCluster } from "@cloudwright/contract";
import { getAt, textAt } from "../entities/json-tree.ts";
import type { KindRules } from "./kind-rules.ts";

export const storageRules: KindRules = {
  deletionField: ["bucket", "forceDestroy"],
  checkAgainstOwner(_, cluster) {
    if (!isExistingCluster(cluster.spec)) return [];
    return [
      {
        field: "spec.cluster",
        message: `is "${cluster.name}", which the platform did not create; storage is not supported there`,
      },
    ];
  },
  checkChange(current, spec) {
    const sizeOf = (of: typeof spec): number => Number(getAt(of, ["volume", "sizeGib"]) ?? 0);
    const [size, desired] = [sizeOf(current.spec), sizeOf(spec)];
    // The current size of a volume that is not RUNNING is unknown, so the check is left to the cloud.
    if (textAt(current.status, "phase") !== "RUNNING" || desired === 0 || desired >= size) return [];
    const message = `is ${desired}, but the volume has ${size} GiB and volumes cannot shrink; create a new one instead`;
    return [{ field: "spec.volume.sizeGib", message }];
  },
};
