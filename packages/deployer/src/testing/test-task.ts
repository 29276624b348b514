import { parseTaskType, readTaskPayload, type TaskKind } from "@cloudwright/contract";
import { createUid, systemClock, type Secret } from "@cloudwright/platform";
import type { Spawn } from "@cloudwright/terraform";
import {
  requireEntity,
  type DeployedEntity,
  type DeployerTask,
  type JsonObject,
  type StateAccess,
  type Surroundings,
} from "../task.ts";

/** Options for a test task. The defaults describe a network in a simulated AWS account. */
export interface TestTaskOptions {
  readonly uid?: string;
  readonly entityUid?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly parents?: readonly TestParent[];
  readonly nodePools?: readonly {
    readonly uid: string;
    readonly name: string;
    readonly labels?: Record<string, string>;
    readonly spec: JsonObject;
  }[];
  readonly references?: readonly TestReference[];
  readonly labels?: Record<string, string>;
  readonly account?: Partial<TestAccount> | null;
  readonly spec?: JsonObject;
  readonly outputs?: JsonObject;
  readonly plan?: string;
  readonly allow?: readonly string[];
  readonly formerSpec?: JsonObject;
  readonly parallelism?: number;
  readonly directory?: string;
  readonly resumed?: boolean;
  readonly signal?: AbortSignal;
  readonly spawn?: Spawn;
  readonly openState?: () => Promise<StateAccess>;
  readonly openCredentials?: () => Promise<Secret<JsonObject>>;
  readonly keepToken?: DeployerTask["keepToken"];
  readonly access?: NonNullable<DeployerTask["payload"]["access"]>;
  readonly repair?: { readonly address: string; readonly id?: string; readonly dryRun?: boolean };
  readonly gates?: NonNullable<DeployerTask["payload"]["gates"]>;
  readonly log?: (line: string) => void;
  readonly progress?: DeployerTask["progress"];
}

/** A parent of the task's entity, in payload format. */
export interface TestParent {
  readonly kind: string;
  readonly uid: string;
  readonly name: string;
  readonly spec: JsonObject;
  readonly outputs: JsonObject;
}

/** An entity that the task's entity refers to, in payload format. */
export interface TestReference {
  readonly field: string;
  readonly kind: string;
  readonly uid?: string;
  readonly name: string;
  readonly spec: JsonObject;
  readonly outputs?: JsonObject;
}

/** The task's account, in payload format. */
export interface TestAccount {
  readonly uid: string;
  readonly name: string;
  readonly cloud: string;
  readonly simulated: boolean;
  readonly spec: JsonObject;
}

/** Creates an entity from a JSON spec. */
export function createTestEntity<Kind extends TaskKind>(
  kind: Kind,
  part: { readonly uid?: string; readonly name?: string; readonly labels?: Record<string, string>; readonly spec?: JsonObject },
): DeployedEntity<Kind> {
  const payload = readTaskPayload({ entity: { kind, uid: "uid-1", name: "test", project: "default", ...part } });
  return requireEntity({ payload }, kind);
}

/** Creates an entity's context from JSON. */
export function createTestSurroundings(part: Pick<TestTaskOptions, "parents" | "nodePools" | "outputs"> = {}): Surroundings {
  return createTestTask("network.plan", part).payload;
}

const never = (): never => {
  throw new Error("no program may be started");
};

const kinds = {
  account: "Account",
  network: "Network",
  cluster: "Cluster",
  storage: "Storage",
  instance: "Instance",
  securitygroup: "SecurityGroup",
  volume: "Volume",
  inventory: "Inventory",
  volumesnapshot: "VolumeSnapshot",
} as const;

/** Renders a task's payload as the server would send it. */
export function renderTestPayload(type: string, options: TestTaskOptions = {}): JsonObject {
  const { entityUid = "entity", account = {}, spec = {}, name = "net", parents = [], nodePools = [] } = options;
  const { kind = kinds[parseTaskType(type)?.service ?? "network"] } = options;
  const {
    outputs = {},
    references = [],
    labels = {},
    plan,
    formerSpec,
    access,
    repair,
    gates,
    allow = [],
    parallelism = 0,
  } = options;
  return {
    entity: { kind, uid: entityUid, name, project: "default", labels, spec: { region: "eu-west-1", ...spec } },
    account: account && { uid: "0199-account", name: "acc", cloud: "aws", simulated: true, spec: {}, ...account },
    parents: parents.map((parent) => ({ ...parent })),
    nodePools: nodePools.map((pool) => ({ ...pool })),
    ...(references.length === 0 ? {} : { references: references.map((each) => ({ outputs: {}, ...each })) }),
    outputs,
    allow: [...allow],
    parallelism,
    ...(plan === undefined ? {} : { plan }),
    ...(formerSpec === undefined ? {} : { formerSpec }),
    ...(access === undefined ? {} : { access: { ...access } }),
    ...(repair === undefined ? {} : { repair: { ...repair } }),
    ...(gates === undefined ? {} : { gates: { stage: gates.stage, skip: [...gates.skip] } }),
  };
}

/** Creates a task as an agent would pass it to a deployer. */
export function createTestTask(type: string, options: TestTaskOptions = {}): DeployerTask {
  const { uid = createUid(systemClock.now()) } = options;
  return {
    task: { uid, type },
    payload: readTaskPayload(renderTestPayload(type, options)),
    directory: options.directory ?? "/nowhere",
    resumed: options.resumed ?? false,
    signal: options.signal ?? new AbortController().signal,
    log: options.log ?? (() => undefined),
    progress: options.progress ?? (() => undefined),
    spawn: options.spawn ?? never,
    openState: options.openState ?? never,
    openCredentials: options.openCredentials ?? never,
    keepToken: options.keepToken ?? never,
  };
}
