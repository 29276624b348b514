import type { Sweeper } from "./sweeper.ts";

/** Deletes Karpenter's node pools before its nodes. Otherwise Karpenter would replace the deleted nodes. */
export async function removeKarpenterNodes(sweeper: Sweeper): Promise<void> {
  for (const version of ["v1", "v1beta1"]) {
    const apiVersion = `karpenter.sh/${version}`;
    const pools = await sweeper.list({ apiVersion, kind: "NodePool" });
    const claims = await sweeper.list({ apiVersion, kind: "NodeClaim" });
    for (const object of [...pools, ...claims]) await sweeper.remove(object);
    if (pools.length + claims.length > 0) return;
  }
}
