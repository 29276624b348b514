import { createParts } from "@cloudwright/clouds";
import type { CloudName } from "@cloudwright/contract/clouds";
import { createDeployer, type StateAccess } from "@cloudwright/deployer";
import { createTestTask, type TestTaskOptions } from "@cloudwright/deployer/testing";
import { Secret, systemClock, textOf } from "@cloudwright/platform";
import { text } from "node:stream/consumers";

/** The work that one process in the kill matrix does, passed as JSON on standard input. */
export interface DirectRun {
  readonly cloud: CloudName;
  readonly service: "cluster" | "instance";
  readonly action: "build" | "destroy";
  readonly task: Pick<
    TestTaskOptions,
    "account" | "entityUid" | "name" | "spec" | "parents" | "nodePools" | "references" | "resumed" | "outputs"
  >;
  readonly state: Omit<StateAccess, "password"> & { readonly password: string };
  /** Client library options that point to the cloud. */
  readonly options: Readonly<Record<string, unknown>>;
}

const never = (): never => {
  throw new Error("a direct run must not start a program");
};

/** Plans and applies, or destroys, one entity in this process. */
async function run({ cloud, service, action, task, state, options }: DirectRun): Promise<void> {
  const clock = {
    now: () => systemClock.now(),
    sleep: (ms: number, signal?: AbortSignal) => systemClock.sleep(Math.min(ms, 5), signal),
  };
  const deployer = createDeployer({
    binaries: { get: never },
    async openCloud() {
      let close = async (): Promise<void> => undefined;
      return {
        openTerraform: async () => never(),
        async openDirect(direct) {
          const opened = createParts(cloud, { ...options, ...direct, clock });
          ({ close } = opened);
          return opened.parts;
        },
        listOwned: async () => [],
        openCluster: async () => Promise.reject(new Error("the simulated API of this test serves no Kubernetes API")),
        close: () => close(),
      };
    },
  });
  const openState = async (): Promise<StateAccess> => ({ ...state, password: new Secret(state.password) });
  const handle = async (type: string, more: TestTaskOptions = {}): Promise<unknown> => {
    const outcome = await deployer.handle(createTestTask(type, { ...task, account: { cloud }, openState, ...more }));
    if (outcome.outcome !== "done") throw new Error(`${type} ended ${outcome.outcome}`);
    return outcome.outputs?.["plan"];
  };
  if (action === "destroy") return void (await handle(`${service}.destroy`));
  const plan = textOf(await handle(`${service}.plan`));
  await handle(`${service}.apply`, { plan });
}

await run(JSON.parse(await text(process.stdin)) as DirectRun);
