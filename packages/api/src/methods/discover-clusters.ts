import type { Method } from "@cloudwright/contract";
import type { DiscoverClustersRequest } from "@cloudwright/contract/gen/cloudwright/v1/account_pb.ts";
import { Fault } from "@cloudwright/platform";
import type { Answer } from "../calls/answer.ts";
import type { Call } from "../calls/authorise.ts";
import { parseEntity } from "../calls/trace-call.ts";
import type { ApiDeps } from "../deps.ts";
import { retryStale } from "../entities/retry-stale.ts";
import { saveEntity } from "../entities/save-entity.ts";
import { requireEntity, resolveTarget } from "../entities/target.ts";
import { apiFaults } from "../faults.ts";
import { openOperation } from "../operations/open-operation.ts";

/** Starts an operation that lists the clusters in an account. The operation changes neither the account nor the clusters. */
export async function discoverClusters(
  deps: ApiDeps,
  call: Call,
  method: Method,
  input: Pick<DiscoverClustersRequest, "project" | "parent" | "name" | "region">,
): Promise<Answer> {
  const target = await resolveTarget(deps, call, method, input);
  return retryStale(deps, `${target.kind.kind} "${input.name}"`, async () => {
    const row = await requireEntity(deps, call, target, input.name);
    if (row.deleted_at !== null) throw new Fault(apiFaults.being_deleted, `${row.kind} "${row.name}" is being deleted`);
    const entity = parseEntity(row.object);
    const subject = { ...row, generation: entity.metadata.generation ?? 0 };
    const discoverRegion = input.region === "all" ? "" : input.region;
    const opened = await openOperation(deps, call, "discover", subject, { discoverRegion });
    const saved = await saveEntity(deps, call, method, {
      row,
      entity,
      environmentUid: row.environment_uid,
      sealed: row.sealed,
      opened,
      isBeside: true,
      reason: "",
      message: "",
    });
    if (saved === undefined) return undefined;
    const { name, object, resourceVersion } = opened.insert;
    return { body: object, version: resourceVersion, operation: { project: row.project, name } };
  });
}
