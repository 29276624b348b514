import { cloudOf, type EntityJson, type JsonObject } from "@cloudwright/contract";
import type { EntityRow } from "@cloudwright/store";
import { plainPayloadVersion, type Placement, type TaskInsert } from "@cloudwright/tasks";
import { textAt } from "../entities/json-tree.ts";

/** A cluster with what it lies in, nearest first, and what its last run has produced. */
export interface BuiltCluster {
  readonly row: Pick<EntityRow, "uid" | "project" | "name" | "environment" | "labels">;
  readonly parents: readonly { readonly kind: string; readonly uid: string; readonly entity: EntityJson }[];
  readonly outputs: JsonObject;
}

/** What is asked of a cluster. */
export interface TokenAsked {
  readonly role: "admin" | "viewer";
  readonly ttlSeconds: number;
}

const tokenTaskType = "cluster.token";

/**
 * The task that asks a cluster for a token. Its line is the token's own, not the cluster's: whoever looks why an upgrade hangs must not
 * wait for its end. One attempt, since somebody waits for the answer, and asking again makes another task.
 */
export function renderTokenTask(cluster: BuiltCluster, tokenUid: string, uid: string, asked: TokenAsked): TaskInsert {
  const { row, parents, outputs } = cluster;
  const account = parents.find(({ kind }) => kind === "Account");
  const spec = account?.entity.spec ?? {};
  const cloud = cloudOf(spec) ?? "";
  const { cluster_name = "", endpoint = "", certificate_authority = "" } = outputs;
  return {
    uid,
    key: uid,
    project: row.project,
    entityUid: tokenUid,
    entityKind: "Cluster",
    entityName: row.name,
    operationUid: null,
    accountUid: account?.uid ?? null,
    type: tokenTaskType,
    lane: "short",
    placement: renderPlacement(parents, cloud, account?.entity.metadata.name ?? ""),
    priority: 10,
    payload: {
      action: "token",
      entity: {
        kind: "Cluster",
        uid: row.uid,
        name: row.name,
        project: row.project,
        environment: row.environment,
        labels: { ...row.labels },
        spec: {},
      },
      account: account && {
        uid: account.uid,
        name: account.entity.metadata.name ?? "",
        cloud,
        simulated: spec["simulated"] === true,
        spec,
      },
      parents: parents.map(({ kind, uid: parentUid, entity }) => ({
        kind,
        uid: parentUid,
        name: entity.metadata.name ?? "",
        spec: entity.spec,
        outputs: {},
      })),
      outputs: { cluster_name, endpoint, certificate_authority },
      access: { ...asked },
    },
    payloadVersion: plainPayloadVersion,
    maxAttempts: 1,
  };
}

/** The same labels as all other work in the cluster asks for. */
function renderPlacement(parents: BuiltCluster["parents"], cloud: string, account: string): Placement {
  const region = parents.map(({ entity }) => textAt(entity.spec, "region")).find((text) => text !== "");
  return { cloud, account, ...(region === undefined ? {} : { region }) };
}
