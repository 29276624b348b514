import { hasAction } from "@cloudwright/contract";
import { createDeployer, type Deployer, type DeployerDeps, type JsonObject } from "@cloudwright/deployer";
import {
  createTestTask,
  startTestEndpoint,
  type StoredPlan,
  type TestEndpoint,
  type TestTaskOptions,
} from "@cloudwright/deployer/testing";
import { createUid, pickChildEnvironment, processEnvironment, requireTool, systemClock, type Fault } from "@cloudwright/platform";
import {
  changeRecord,
  createFileInventory,
  createFileFaults,
  type CloudRecord,
  type Inventory,
  type SimulatedFaultControl,
  type ValueMap,
} from "@cloudwright/simulator";
import { createBinaries, createSpawn, type RunningChild, type Spawn } from "@cloudwright/terraform";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClouds } from "../clouds.ts";

/** The Terraform program on this machine, or the reason why it is missing. */
export const terraform = requireTool("terraform");
if (!terraform.found) console.log(`skipped: ${terraform.reason}`);

/** A deployer on a simulated cloud, with an endpoint for states and plans: everything except the control plane. */
export interface TestPlatform {
  readonly directory: string;
  readonly endpoint: TestEndpoint;
  readonly inventory: Inventory;
  readonly faults: SimulatedFaultControl;
  /** The programs that were started, newest last. */
  readonly started: {
    readonly command: string;
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
    readonly child: RunningChild;
  }[];
  readonly spawn: Spawn;
  /** Opens a simulated account. Tests wrap it to change what a cloud returns. */
  readonly openCloud: DeployerDeps["openCloud"];
  createDeployer(deps?: Partial<DeployerDeps>): Deployer;
  openEntity(deps?: Partial<DeployerDeps>, cloud?: string): TestEntity;
  close(): Promise<void>;
}

/** An entity in its own account, with the actions that the control plane would take. */
export interface TestEntity {
  readonly uid: string;
  readonly account: { readonly uid: string; readonly cloud: string };
  /** Runs a task. The outputs of an apply are passed to the next task. */
  run(type: string, options?: TestTaskOptions): Promise<JsonObject>;
  plan(spec?: JsonObject): Promise<{ readonly uid: string; readonly stored: StoredPlan }>;
  apply(planUid: string, spec?: JsonObject): Promise<JsonObject>;
  /** Plans and applies a spec. */
  build(spec?: JsonObject): Promise<JsonObject>;
  list(type?: string): Promise<readonly CloudRecord[]>;
  /** Changes a resource outside Terraform. */
  change(type: string, attributes: ValueMap): Promise<void>;
}

/** Opens a platform in a temporary directory. Closing it deletes the directory. */
export async function openTestPlatform(): Promise<TestPlatform> {
  const directory = mkdtempSync(join(tmpdir(), "platform-"));
  const endpoint = await startTestEndpoint();
  const folder = join(directory, "simulated");
  const inventory = createFileInventory(join(folder, "inventory"));
  const started: TestPlatform["started"] = [];
  const environment = pickChildEnvironment(processEnvironment);
  const start = createSpawn(environment);
  const spawn: Spawn = async (program, args, options) => {
    const child = await start(program, args, options);
    started.push({ command: args[0] ?? "", args, env: options?.env ?? {}, child });
    return child;
  };
  const cacheDirectory = join(directory, "cache");
  const binaries = createBinaries({ spawn: start }, { path: environment["PATH"] ?? "", cacheDirectory });
  const unset = { endpoints: {}, identityTokenFiles: {}, providerMirror: undefined };
  const open = (): ReturnType<typeof createClouds> =>
    createClouds({ directory, simulator: "files", cacheDirectory, clouds: unset });
  const create = (deps: Partial<DeployerDeps> = {}): Deployer => createDeployer({ binaries, ...open(), ...deps });

  const openEntity: TestPlatform["openEntity"] = (deps, cloud = "aws") => {
    const deployer = create(deps);
    const [uid, account] = [createUid(systemClock.now()), { uid: createUid(systemClock.now()), cloud }];
    let outputs: JsonObject = {};
    const run: TestEntity["run"] = async (type, options = {}) => {
      const task = createTestTask(type, {
        entityUid: uid,
        account,
        outputs,
        spawn,
        directory: mkdtempSync(join(directory, "task-")),
        openState: async () => endpoint.access(uid),
        ...options,
      });
      const outcome = await deployer.handle(task);
      if (outcome.outcome !== "done") throw new Error(outcome.outcome);
      if (hasAction(type, "apply")) outputs = outcome.outputs ?? {};
      return outcome.outputs ?? {};
    };
    const plan: TestEntity["plan"] = async (spec = {}) => {
      const planned = (await run("network.plan", { spec }))["plan"] as string;
      const stored = endpoint.plans.get(planned);
      if (stored === undefined) throw new Error("the plan was not stored");
      return { uid: planned, stored };
    };
    const apply: TestEntity["apply"] = (planUid, spec = {}) => run("network.apply", { spec, plan: planUid });
    const list: TestEntity["list"] = (type) => inventory.list(account.uid, type);
    return {
      uid,
      account,
      run,
      plan,
      apply,
      list,
      build: async (spec = {}) => apply((await plan(spec)).uid, spec),
      async change(type, attributes) {
        const [first] = await list(type);
        await changeRecord(inventory, account.uid, { type, id: first?.id ?? "" }, attributes);
      },
    };
  };
  return {
    directory,
    endpoint,
    inventory,
    faults: createFileFaults(join(folder, "mishaps.json")),
    started,
    spawn,
    openCloud: open().openCloud,
    createDeployer: create,
    openEntity,
    async close() {
      await endpoint.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Returns the fault that a promise rejects with. */
export async function faultOf(promise: Promise<unknown>): Promise<Fault> {
  try {
    await promise;
  } catch (error) {
    return error as Fault;
  }
  throw new Error("it did not fail");
}
