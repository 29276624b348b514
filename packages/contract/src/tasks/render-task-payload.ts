import type { TaskPayloadJson } from "../../gen/cloudwright/v1/task_payload_pb.ts";
import { cloudOf, findCloud, usesAgentIdentity } from "../clouds/index.ts";
import type { JsonObject } from "../entities.ts";
import { isExistingCluster } from "../kinds/cluster.ts";
import type { GateStage, ImageWork, TaskKeys } from "./read-task-payload.ts";
import { parseTaskType, type TaskTypeName } from "./task-types.ts";

/** The stored fields of an entity that go into a payload. */
export interface PayloadEntityInput {
  readonly kind: string;
  readonly uid: string;
  readonly name: string;
  readonly project: string;
  readonly environment: string;
  readonly generation?: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec: JsonObject;
}

/** An entity that the task's entity is built on. `outputs` is null before its first apply. */
export interface PayloadParentInput {
  readonly kind: string;
  readonly uid: string;
  readonly name: string;
  readonly spec: JsonObject;
  readonly outputs: JsonObject | null;
}

/** An entity that the spec of the task's entity refers to in `field`. */
export interface PayloadReferenceInput extends PayloadParentInput {
  readonly field: string;
}

/** The stored fields of an account that go into a payload. */
export interface PayloadAccountInput {
  readonly uid: string;
  readonly name: string;
  readonly spec: JsonObject;
}

/** Inputs for rendering a payload. See task_payload.proto for the fields. */
export interface PayloadInput {
  readonly type: TaskTypeName;
  readonly entity: PayloadEntityInput;
  readonly account: PayloadAccountInput | undefined;
  readonly parents: readonly PayloadParentInput[];
  readonly references?: readonly PayloadReferenceInput[];
  readonly nodePools?: readonly {
    readonly uid: string;
    readonly name: string;
    readonly generation: number;
    readonly retries: number;
    readonly labels?: Readonly<Record<string, string>>;
    readonly spec: JsonObject;
  }[];
  readonly outputs: JsonObject;
  readonly fingerprint?: string;
  readonly retries?: number;
  readonly formerSpec?: JsonObject | undefined;
  readonly finalVersion?: string | undefined;
  readonly allow?: readonly string[];
  readonly round?: number | undefined;
  readonly plan?: string | undefined;
  readonly newPool?: string | undefined;
  readonly deletion?: boolean;
  readonly access?: { readonly role: "admin" | "viewer"; readonly ttlSeconds: number };
  readonly parallelism?: number;
  readonly repair?: { readonly address: string; readonly id?: string; readonly dryRun?: boolean } | undefined;
  readonly gates?: { readonly stage: GateStage; readonly skip: readonly string[] } | undefined;
  /** Public halves of an SSH key that is being replaced. Only for tasks that replace keys. */
  readonly keys?: TaskKeys | undefined;
  /** Region to search. Only for discoveries. */
  readonly region?: string | undefined;
  /** What to do with the images of a machine. Only for tasks that manage images. */
  readonly imageWork?: Partial<ImageWork> | undefined;
}

/**
 * The newest payload version that this release writes and reads. Only tasks that run upgrade gates, and tasks of clusters that the platform
 * did not create, use it.
 */
export const payloadVersion = 5;

/** The version of tasks for entities with the `direct` provisioner. */
const directPayloadVersion = 4;

/** The version of deletion previews, and of destroy tasks whose spec sets `claimVolumes`. */
const deletionPayloadVersion = 3;

/** The version of payloads that apply a saved plan. */
const planPayloadVersion = 2;

/** The version of all other payloads. Agents from the previous release cannot read newer versions. */
export const plainPayloadVersion = 1;

/**
 * Renders the payload of a task and chooses its version. Keys are the field names in task_payload.proto. A payload that names a plan has
 * version 2. An agent that reads only version 1 would ignore the plan and apply unapproved changes. Deletion previews and destroy tasks
 * whose spec sets `claimVolumes` have version 3. An older agent would ignore these fields and could delete volumes that must be kept. Tasks
 * of entities with the `direct` provisioner have version 4. An older agent would ignore the provisioner and run Terraform. Tasks that run
 * upgrade gates, and tasks of clusters that the platform did not create, have version 5. An older agent would build another cluster, or
 * delete resources of the existing one.
 */
export function renderTaskPayload(input: PayloadInput): { payload: TaskPayloadJson; payloadVersion: number } {
  const {
    type,
    entity,
    account,
    parents,
    references = [],
    nodePools,
    outputs,
    allow = [],
    formerSpec,
    plan,
    access,
    repair,
    gates,
    region,
    keys,
    imageWork,
    ...rest
  } = input;
  const { finalVersion, newPool, round, fingerprint, retries, parallelism, deletion = false } = rest;
  const payload: TaskPayloadJson = {
    action: parseTaskType(type)?.actionWord ?? "",
    entity: {
      ...entity,
      labels: { ...entity.labels },
      ...(entity.annotations === undefined ? {} : { annotations: { ...entity.annotations } }),
    },
    ...(account === undefined ? {} : { account: renderAccount(account) }),
    parents: parents.map(({ outputs: produced, ...parent }) => ({ ...parent, outputs: produced ?? {} })),
    ...(references.length === 0
      ? {}
      : { references: references.map(({ outputs: produced, ...one }) => ({ ...one, outputs: produced ?? {} })) }),
    ...(nodePools === undefined ? {} : { nodePools: [...nodePools] }),
    outputs,
    ...(fingerprint === undefined ? {} : { fingerprint }),
    ...(retries === undefined ? {} : { retries }),
    ...(formerSpec === undefined ? {} : { formerSpec }),
    ...(finalVersion === undefined ? {} : { finalVersion }),
    ...(allow.length === 0 ? {} : { allow: [...allow] }),
    ...(round === undefined ? {} : { round }),
    ...(plan === undefined ? {} : { plan }),
    ...(newPool === undefined ? {} : { newPool }),
    ...(deletion ? { deletion } : {}),
    ...(access === undefined ? {} : { access: { ...access } }),
    ...(parallelism === undefined ? {} : { parallelism }),
    ...(repair === undefined ? {} : { repair: { ...repair } }),
    ...(gates === undefined ? {} : { gates: { stage: gates.stage, skip: [...gates.skip] } }),
    ...(region === undefined ? {} : { region }),
    ...(keys === undefined ? {} : { keys: { ...keys } }),
    ...(imageWork === undefined ? {} : { imageWork }),
  };
  return { payload, payloadVersion: chooseVersion(input) };
}

function chooseVersion({ type, entity, plan, gates, deletion = false }: PayloadInput): number {
  const { claimVolumes = "", provisioner } = entity.spec;
  if (gates !== undefined) return payloadVersion;
  if (isExistingCluster(entity.spec)) return payloadVersion;
  if (provisioner === "direct") return directPayloadVersion;
  if (deletion || (parseTaskType(type)?.action === "destroy" && claimVolumes !== "")) return deletionPayloadVersion;
  return plan === undefined ? plainPayloadVersion : planPayloadVersion;
}

function renderAccount({ uid, name, spec }: PayloadAccountInput): NonNullable<TaskPayloadJson["account"]> {
  return { uid, name, cloud: cloudOf(spec) ?? "", simulated: spec["simulated"] === true, spec };
}

/**
 * Renders the requirements that an agent must meet to run a task: labels for the cloud, account, region and local machines. If the account
 * uses the agent's identity, the agent also needs a grant. `specs` lists the entity's spec and those of its parents, nearest first. The
 * first one with a region determines the region.
 */
export function renderTaskPlacement(
  project: string,
  account: PayloadAccountInput | undefined,
  specs: readonly JsonObject[],
): Readonly<Record<string, string>> {
  if (account === undefined) return {};
  const region = specs.map(findRegion).find((value) => value !== undefined);
  const cloud = cloudOf(account.spec) ?? "";
  const machines = findCloud(cloud)?.agent.findLabel((account.spec[cloud] ?? {}) as JsonObject);
  return {
    cloud,
    account: account.name,
    ...(region === undefined ? {} : { region }),
    ...(machines === undefined ? {} : { machines }),
    ...(usesAgentIdentity(account.spec) ? { identity: `${project}/${account.uid}` } : {}),
  };
}

/** Returns the region in a spec. Clusters that the platform did not create store the region in `existing`. */
function findRegion(spec: JsonObject): string | undefined {
  const { region } = isExistingCluster(spec) ? (spec["existing"] as JsonObject) : spec;
  return typeof region === "string" && region !== "" ? region : undefined;
}
