import { createUid, systemClock, type Secret } from "@cloudwright/platform";
import type { Spawn } from "@cloudwright/terraform";
import type { DeployedAccount, DeployerTask, JsonObject, StateAccess, Surroundings } from "../task.ts";

/** What a task of a test says; the rest is as a network in a simulated AWS account has it. */
export interface TestTaskOptions {
  readonly uid?: string;
  readonly entityUid?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly parents?: Surroundings["parents"];
  readonly nodePools?: Surroundings["nodePools"];
  readonly account?: Partial<DeployedAccount> | null;
  readonly spec?: JsonObject;
  readonly outputs?: JsonObject;
  readonly plan?: string;
  readonly allow?: readonly string[];
  readonly formerSpec?: JsonObject;
  readonly directory?: string;
  readonly resumed?: boolean;
  readonly signal?: AbortSignal;
  readonly spawn?: Spawn;
  readonly openState?: () => Promise<StateAccess>;
  readonly openCredentials?: () => Promise<Secret<JsonObject>>;
  readonly keepToken?: DeployerTask["keepToken"];
  readonly access?: DeployerTask["payload"]["access"];
  readonly log?: (line: string) => void;
  readonly progress?: DeployerTask["progress"];
}

const never = (): never => {
  throw new Error("nothing is to be run");
};

/** A task as an agent gives it to a deployer. */
export function createTestTask(type: string, options: TestTaskOptions = {}): DeployerTask {
  const { uid = createUid(systemClock.now()), entityUid = "entity", account = {}, spec = {}, outputs = {}, plan } = options;
  const whole = { uid: "0199-account", name: "acc", cloud: "aws", simulated: true, spec: {} };
  const { kind = "Network", name = "net", parents = [], nodePools = [] } = options;
  const named = { kind, uid: entityUid, name, project: "default", environment: "", labels: {} };
  return {
    task: { uid, type },
    payload: {
      entity: { ...named, spec: { region: "eu-west-1", ...spec } },
      account: account === null ? null : { ...whole, ...account },
      parents,
      nodePools,
      outputs,
      ...(plan === undefined ? {} : { plan }),
      ...(options.formerSpec === undefined ? {} : { formerSpec: options.formerSpec }),
      ...(options.access === undefined ? {} : { access: options.access }),
      ...(options.allow === undefined ? {} : { allow: options.allow }),
    },
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
