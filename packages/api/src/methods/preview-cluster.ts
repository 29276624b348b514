import type { EntityJson, Method } from "@cloudwright/contract";
import { findEntity, type EntityRow } from "@cloudwright/store";
import type { Answer } from "../calls/answer.ts";
import type { Call } from "../calls/authorise.ts";
import type { ApiDeps } from "../deps.ts";
import { apiFaults } from "../faults.ts";
import { textAt } from "../entities/json-tree.ts";
import { openOperation } from "../operations/open-operation.ts";
import { retryStale } from "../entities/retry-stale.ts";
import { saveEntity } from "../entities/save-entity.ts";
import { findEntityIn, notFound, resolveTarget, type Target } from "../entities/target.ts";
import { parseEntity } from "../calls/trace-call.ts";
import { updateEntityMethod, type UpdateInput } from "./update-entity.ts";
import { Fault } from "@cloudwright/platform";

/**
 * Checks a change as an update would, and starts an operation that plans it without applying it. If the cluster does not exist yet, the
 * operation belongs to its network.
 */
export async function previewCluster(deps: ApiDeps, call: Call, method: Method, input: UpdateInput): Promise<Answer> {
  const { body, warnings = [] } = await updateEntityMethod(deps, call, method, { ...input, dryRun: true });
  const checked = parseEntity(body);
  const target = await resolveTarget(deps, call, method, input);
  return retryStale(deps, `${target.kind.kind} "${input.name}"`, async () => {
    const own = await findEntityIn(deps, call, target, input.name);
    if (own === undefined && !input.allowMissing) throw notFound(target.kind.kind, input.name);
    const row = own ?? (await findNetwork(deps, target, checked));
    if (row.deleted_at !== null) throw new Fault(apiFaults.being_deleted, `${row.kind} "${row.name}" is being deleted`);
    const entity = parseEntity(row.object);
    // For a new cluster, access to the operation depends on the cluster's environment, not on that of the network.
    const environment = own === undefined ? (checked.metadata.environment ?? "") : row.environment;
    const subject = { ...row, environment, generation: entity.metadata.generation ?? 0 };
    const opened = await openOperation(deps, call, "preview", subject, {
      candidate: checked.spec,
      ...(own === undefined ? { candidateName: input.name } : {}),
    });
    const saved = await saveEntity(deps, call, method, {
      row,
      entity,
      environmentUid: row.environment_uid,
      sealed: row.sealed,
      opened,
      isBeside: true,
      reason: "PreviewRequested",
      message: own === undefined ? `previewing the creation of cluster "${input.name}"` : "previewing a change",
    });
    if (saved === undefined) return undefined;
    const { name, object, resourceVersion } = opened.insert;
    return { body: object, version: resourceVersion, warnings, operation: { project: row.project, name } };
  });
}

async function findNetwork({ pool }: ApiDeps, { project }: Target, { spec }: EntityJson): Promise<EntityRow> {
  const ref = textAt(spec, "network");
  const row = await findEntity(pool, { kind: "Network", project, namingScope: "", ref });
  if (row === undefined) throw notFound("Network", ref);
  return row;
}
