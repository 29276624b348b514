import { fromJson, type DescMessage } from "@bufbuild/protobuf";
import type { AccountSpec } from "../../gen/cloudwright/v1/account_pb.ts";
import type { ClusterSpec } from "../../gen/cloudwright/v1/cluster_pb.ts";
import type { InstanceSpec } from "../../gen/cloudwright/v1/instance_pb.ts";
import type { InventorySpec } from "../../gen/cloudwright/v1/inventory_pb.ts";
import type { NetworkSpec } from "../../gen/cloudwright/v1/network_pb.ts";
import type { NodePoolSpec } from "../../gen/cloudwright/v1/node_pool_pb.ts";
import type { SecurityGroupSpec } from "../../gen/cloudwright/v1/security_group_pb.ts";
import type { StorageSpec } from "../../gen/cloudwright/v1/storage_pb.ts";
import { TaskPayloadSchema } from "../../gen/cloudwright/v1/task_payload_pb.ts";
import type { VolumeSpec } from "../../gen/cloudwright/v1/volume_pb.ts";
import type { VolumeSnapshotSpec } from "../../gen/cloudwright/v1/volume_snapshot_pb.ts";
import { getEntitySchema, type JsonObject } from "../entities.ts";
import { getKind, isEntityKind } from "../kinds.ts";

/** Spec types of the kinds that this release's deployers build. Payloads can also contain kinds that plug-ins build. */
interface TaskSpecs {
  readonly Account: AccountSpec;
  readonly Network: NetworkSpec;
  readonly Cluster: ClusterSpec;
  readonly NodePool: NodePoolSpec;
  readonly Storage: StorageSpec;
  readonly Instance: InstanceSpec;
  readonly SecurityGroup: SecurityGroupSpec;
  readonly Volume: VolumeSpec;
  readonly Inventory: InventorySpec;
  readonly VolumeSnapshot: VolumeSnapshotSpec;
}

/** A kind of entity that a task payload can contain. */
export type TaskKind = keyof TaskSpecs;

/** Spec of a kind as a protobuf message. */
export type TaskSpec<Kind extends TaskKind = TaskKind> = TaskSpecs[Kind];

/** The entity that a task works on. */
export interface TaskEntity<Kind extends TaskKind = TaskKind> {
  readonly kind: Kind;
  readonly uid: string;
  readonly name: string;
  readonly project: string;
  readonly environment: string;
  readonly generation: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: TaskSpec<Kind>;
}

/**
 * The cloud account that a task uses. The spec has no secrets and stays in JSON form, because only the account's cloud provider reads it.
 */
export interface TaskAccount {
  readonly uid: string;
  readonly name: string;
  readonly cloud: string;
  readonly simulated: boolean;
  readonly spec: JsonObject;
}

/** An entity that the task's entity is built on. */
export interface TaskParent<Kind extends TaskKind = TaskKind> {
  readonly kind: Kind;
  readonly uid: string;
  readonly name: string;
  readonly spec: TaskSpec<Kind>;
  /** Outputs of the parent's last apply; empty before the first one. */
  readonly outputs: JsonObject;
}

/** An entity that the spec of the task's entity refers to. The spec stays in JSON form, because not every kind has tasks. */
export interface TaskReference {
  /** Path of the referring field within `spec`. */
  readonly field: string;
  readonly kind: string;
  readonly uid: string;
  readonly name: string;
  readonly spec: JsonObject;
  /** Outputs of the entity's last apply; empty before the first one. */
  readonly outputs: JsonObject;
}

/** A node pool of the task's cluster. */
export interface TaskNodePool {
  readonly uid: string;
  readonly name: string;
  readonly generation: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: NodePoolSpec;
}

/** A task payload with typed specs. See task_payload.proto for the fields. */
export interface TaskPayload<Kind extends TaskKind = TaskKind> {
  /** The action as stored, such as `check` in `network.check`. */
  readonly action: string;
  readonly entity: TaskEntity<Kind>;
  readonly account: TaskAccount | undefined;
  readonly parents: readonly TaskParent[];
  readonly references: readonly TaskReference[];
  readonly nodePools: readonly TaskNodePool[];
  readonly outputs: JsonObject;
  readonly fingerprint: string;
  readonly formerSpec: TaskSpec<Kind> | undefined;
  readonly finalVersion: string | undefined;
  readonly allow: readonly string[];
  readonly plan: string | undefined;
  readonly newPool: string | undefined;
  /** True for the preview of a deletion. */
  readonly deletion: boolean;
  readonly access: { readonly role: "admin" | "viewer"; readonly ttlSeconds: number } | undefined;
  /** Undefined to use Terraform's default. */
  readonly parallelism: number | undefined;
  /** The resource to adopt or forget. Undefined for all other tasks. */
  readonly repair: TaskRepair | undefined;
  /** The upgrade gates to run. Undefined for all other tasks. */
  readonly gates: { readonly stage: GateStage; readonly skip: readonly string[] } | undefined;
  /** Public halves of the SSH key to replace. Undefined for all other tasks. */
  readonly keys: TaskKeys | undefined;
  /** Region that a discovery searches. Empty for all other tasks. */
  readonly region: string;
  /** What to do with the images of a machine. Undefined for all other tasks. */
  readonly imageWork: ImageWork | undefined;
}

/** An action on the images of a machine. Fields that the action does not use are empty. */
export interface ImageWork {
  readonly action: string;
  readonly image: string;
  readonly path: string;
  readonly format: string;
  readonly sha256: string;
}

/** Public halves of an SSH key that a task replaces on an instance. */
export interface TaskKeys {
  /** Uid of the SSH key. */
  readonly uid: string;
  readonly publicKey: string;
  readonly formerPublicKey: string;
  /** Whether to remove the former key, once a login with the new one has succeeded. */
  readonly remove: boolean;
}

/** A point of an upgrade at which gates run. */
export type GateStage = "before" | "between" | "after";

/** The points of an upgrade at which gates run, in order. */
export const gateStages: readonly GateStage[] = ["before", "between", "after"];

/** A resource that a task adopts or forgets. */
export interface TaskRepair {
  readonly address: string;
  /** Id in the cloud. Empty if the task forgets the resource. */
  readonly id: string;
  readonly dryRun: boolean;
}

const lenient = { ignoreUnknownFields: true } as const;

/**
 * Parses the JSON form of a payload. Unknown fields and parents of unknown kinds are ignored, so that an agent can work with a newer
 * server. Throws if the entity is missing, has an unknown kind or has a field of the wrong type.
 */
export function readTaskPayload(json: JsonObject): TaskPayload {
  const message = fromJson(TaskPayloadSchema, json, lenient);
  const { entity, account, outputs, formerSpec, finalVersion, access, parallelism, repair, gates, keys } = message;
  if (entity === undefined) throw new Error("the payload has no entity");
  const { kind } = entity;
  if (!isTaskKind(kind)) throw new Error(`the payload's entity is of the unknown kind "${kind}"`);
  return {
    action: message.action,
    entity: { ...entity, kind, spec: readSpec(kind, entity.spec) },
    account: account === undefined ? undefined : { ...account, spec: account.spec ?? {} },
    parents: message.parents.flatMap((parent) =>
      isTaskKind(parent.kind)
        ? [{ ...parent, kind: parent.kind, spec: readSpec(parent.kind, parent.spec), outputs: parent.outputs ?? {} }]
        : [],
    ),
    references: message.references.map(({ field, kind: of, uid, name, spec = {}, outputs: produced = {} }) => ({
      field,
      kind: of,
      uid,
      name,
      spec,
      outputs: produced,
    })),
    nodePools: message.nodePools.map((pool) => ({ ...pool, spec: readSpec("NodePool", pool.spec) })),
    outputs: outputs ?? {},
    fingerprint: message.fingerprint,
    formerSpec: formerSpec === undefined ? undefined : readSpec(kind, formerSpec),
    finalVersion,
    allow: message.allow,
    plan: message.plan,
    newPool: message.newPool,
    deletion: message.deletion,
    access:
      access === undefined ? undefined : { role: access.role === "admin" ? "admin" : "viewer", ttlSeconds: access.ttlSeconds },
    parallelism: parallelism > 0 ? parallelism : undefined,
    repair: repair === undefined ? undefined : { address: repair.address, id: repair.id, dryRun: repair.dryRun },
    gates: gates === undefined ? undefined : { stage: readStage(gates.stage), skip: gates.skip },
    keys: keys === undefined ? undefined : readKeys(keys),
    region: message.region,
    imageWork: message.imageWork === undefined ? undefined : pickImageWork(message.imageWork),
  };
}

function readKeys({ uid, publicKey, formerPublicKey, remove }: TaskKeys): TaskKeys {
  return { uid, publicKey, formerPublicKey, remove };
}

/** Name under which the secrets of an entity's state contain a private half of an SSH key that is being replaced. */
export function nameKeySecret(keyUid: string, half: "privateKey" | "formerPrivateKey"): string {
  return `sshKeys.${keyUid}.${half}`;
}

function pickImageWork({ action, image, path, format, sha256 }: ImageWork): ImageWork {
  return { action, image, path, format, sha256 };
}

function readStage(text: string): GateStage {
  const stage = gateStages.find((each) => each === text);
  if (stage === undefined) throw new Error(`the payload has gates for the unknown stage "${text}"`);
  return stage;
}

/** Parses the JSON form of a spec. Unknown fields are ignored. */
export function readSpec<Kind extends TaskKind>(kind: Kind, json: JsonObject | undefined): TaskSpec<Kind> {
  return fromJson(getSpecSchema(kind), json ?? {}, lenient) as unknown as TaskSpec<Kind>;
}

/** Returns whether an entity is of the given kind. Narrows the type of its spec. */
export function isEntityOf<Kind extends TaskKind>(entity: TaskEntity, kind: Kind): entity is TaskEntity<Kind> {
  return entity.kind === kind;
}

/** Returns whether a payload's entity is of the given kind. Narrows the type of its spec. */
export function isPayloadOf<Kind extends TaskKind>(payload: TaskPayload, kind: Kind): payload is TaskPayload<Kind> {
  return payload.entity.kind === kind;
}

/** Returns the nearest parent of the given kind. Returns undefined if there is none. */
export function findParent<Kind extends TaskKind>(
  { parents }: Pick<TaskPayload, "parents">,
  kind: Kind,
): TaskParent<Kind> | undefined {
  return parents.find((parent): parent is TaskParent<Kind> => parent.kind === kind);
}

function getSpecSchema(kind: string): DescMessage {
  const spec = getEntitySchema(kind).field["spec"]?.message;
  if (spec === undefined) throw new Error(`the kind ${kind} has no spec`);
  return spec;
}

function isTaskKind(kind: string): kind is TaskKind {
  return isEntityKind(kind) && getKind(kind).provisioned;
}
