import { findAccount, renderTaskPayload, renderTaskPlacement, type EntityJson, type JsonObject } from "@cloudwright/contract";
import type { EntityRow } from "@cloudwright/store";
import type { TaskInsert } from "@cloudwright/tasks";

/** A cluster that has been built. `parents` lists its ancestors, nearest first. `outputs` are the outputs of the last apply. */
export interface BuiltCluster {
  readonly row: Pick<EntityRow, "uid" | "project" | "name" | "environment" | "labels">;
  readonly parents: readonly { readonly kind: string; readonly uid: string; readonly entity: EntityJson }[];
  readonly outputs: JsonObject;
}

export interface TokenRequest {
  readonly role: "admin" | "viewer";
  readonly ttlSeconds: number;
}

/**
 * Renders the task that requests a token from a cluster. The task is queued under the token's uid, so it does not wait behind an
 * upgrade of the cluster. The task has a single attempt because a user is waiting; a new request creates a new task.
 */
export function renderTokenTask(cluster: BuiltCluster, tokenUid: string, uid: string, asked: TokenRequest): TaskInsert {
  const { row, parents, outputs } = cluster;
  const found = findAccount(parents);
  const account = found && { uid: found.uid, name: found.entity.metadata.name ?? "", spec: found.entity.spec };
  const { cluster_name = "", endpoint = "", certificate_authority = "" } = outputs;
  const type = "cluster.token";
  return {
    uid,
    key: uid,
    project: row.project,
    entityUid: tokenUid,
    entityKind: "Cluster",
    entityName: row.name,
    operationUid: null,
    accountUid: account?.uid ?? null,
    type,
    lane: "short",
    placement: renderTaskPlacement(
      row.project,
      account,
      parents.map(({ entity }) => entity.spec),
    ),
    priority: 10,
    ...renderTaskPayload({
      type,
      entity: {
        kind: "Cluster",
        uid: row.uid,
        name: row.name,
        project: row.project,
        environment: row.environment,
        labels: row.labels,
        spec: {},
      },
      account,
      parents: parents.map(({ kind, uid: parentUid, entity }) => ({
        kind,
        uid: parentUid,
        name: entity.metadata.name ?? "",
        spec: entity.spec,
        outputs: {},
      })),
      outputs: { cluster_name, endpoint, certificate_authority },
      access: asked,
    }),
    maxAttempts: 1,
  };
}
