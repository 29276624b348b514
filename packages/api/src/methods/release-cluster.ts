import type { Method } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import { findSubtree } from "@cloudwright/store";
import type { Answer } from "../calls/answer.ts";
import type { Call } from "../calls/authorise.ts";
import type { ApiDeps } from "../deps.ts";
import { isForeign } from "../entities/refuse-not-created-here.ts";
import { removeSubtree } from "../entities/remove-subtree.ts";
import { requestDeletion } from "../entities/request-deletion.ts";
import { retryStale } from "../entities/retry-stale.ts";
import { requireEntity, resolveTarget } from "../entities/target.ts";
import { apiFaults } from "../faults.ts";
import { findWork, requireReach, requireUnprotected } from "./delete-entity.ts";
import type { EntityRef } from "./get-entity.ts";

/**
 * Removes an existing cluster and its node pools from the platform. Nothing in the cloud changes, because the reconciler never destroys such
 * a cluster.
 */
export async function releaseCluster(deps: ApiDeps, call: Call, method: Method, input: EntityRef): Promise<Answer> {
  const target = await resolveTarget(deps, call, method, input);
  return retryStale(deps, `${target.kind.kind} "${input.name}"`, async () => {
    const row = await requireEntity(deps, call, target, input.name);
    if (!isForeign(row))
      throw new Fault(apiFaults.created_here, `the platform created ${row.kind} "${row.name}", so it cannot be released`);
    const subtree = await findSubtree(deps.pool, row.uid);
    requireReach(target, row, subtree);
    if (row.deleted_at === null) {
      requireUnprotected(target, row, subtree);
      if ((await findWork(deps, subtree)).length === 0) return removeSubtree(deps, call, method, subtree);
    }
    const said = "release requested; nothing in the cloud changes";
    return requestDeletion(deps, call, method, { row, subtree, force: false, said });
  });
}
