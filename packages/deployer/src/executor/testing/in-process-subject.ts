import { createUid, systemClock } from "@cloudwright/platform";
import { createDeployer } from "../../create-deployer.ts";
import { startTestEndpoint } from "../../testing/test-endpoint.ts";
import { createTestTask, type TestTaskOptions } from "../../testing/test-task.ts";
import { createInProcessExecutor } from "../in-process/in-process-executor.ts";
import type { ContractEntity, ContractSubject, KillPoint } from "./contract-subject.ts";
import { createFakeCloud, type FakeCloud, type FakeCloudOptions } from "./fake-cloud.ts";
import { createLabBlueprint } from "./lab-blueprint.ts";

const never = (): never => {
  throw new Error("the in-process executor starts no program and opens no cloud session");
};

/** The in-process executor with a fake cloud, as a subject of the contract suite. */
export function createInProcessSubject(parallelism: number, kills: ContractSubject["kills"]): ContractSubject {
  return {
    name: `in-process executor, ${parallelism} at a time`,
    specs: {
      first: { nat: "none" },
      updated: { nat: "single", zones: ["a", "b"] },
      replaced: { nat: "none", cidr: "10.1.0.0/16" },
      invalid: { nat: "impossible" },
    },
    kills,
    openEntity: () => openInProcessEntity(parallelism),
  };
}

/** An entity of the lab service, and the cloud that its resources are in. */
export interface InProcessEntity extends ContractEntity {
  readonly cloud: FakeCloud;
}

/** Opens an entity of the lab service. */
export async function openInProcessEntity(parallelism: number, options: FakeCloudOptions = {}): Promise<InProcessEntity> {
  const uid = createUid(systemClock.now());
  const endpoint = await startTestEndpoint();
  const cloud = createFakeCloud(options);
  const kill = createKillSwitch();
  const blueprint = createLabBlueprint(cloud, (_call, moment) => kill.check(moment));
  const executors = [createInProcessExecutor(blueprint, { parallelism })];
  const deployer = createDeployer({ binaries: { get: never }, openCloud: never, executors });
  // Reading changes nothing, except that a plan is handed out only once.
  endpoint.intercept((method, moment, path) => (method === "GET" && !path.includes("/plans/")) || kill.isAllowed(moment));
  const handle = (action: string, given: TestTaskOptions = {}) =>
    deployer.handle(
      createTestTask(`lab.${action}`, {
        entityUid: uid,
        account: { cloud: "local" },
        openState: async () => endpoint.access(uid),
        ...given,
      }),
    );
  return {
    uid,
    endpoint,
    cloud,
    handle,
    killAt: (point) => kill.arm(point),
    async cancelInTheMiddle(work) {
      const controller = new AbortController();
      // The third resource is being created when the signal is aborted.
      const disarm = kill.watch((write) => write >= 12 && controller.abort(new Error("cancelled")));
      try {
        return await work(controller.signal);
      } finally {
        disarm();
      }
    },
    list: async () => cloud.list(uid).map(({ type, id, owner }) => ({ key: `${type}.${owner.name}`, id })),
    changeOutside: async () => cloud.change(findId("fake_machine"), { size: "huge" }),
    removeOutside: async () => cloud.remove(findId("fake_record")),
    close: () => endpoint.close(),
  };

  function findId(type: string): string {
    return cloud.list(uid).find((each) => each.type === type)?.id ?? "";
  }
}

/** Counts writes and kills a simulated process at one of them. A killed process can neither write nor be answered. */
interface KillSwitch {
  /** Throws if the process is dead, or dies at this write. */
  check(moment: KillPoint["moment"]): void;
  /** Returns false if the process is dead, or dies at this write. */
  isAllowed(moment: KillPoint["moment"]): boolean;
  /** Arms the switch. The answer replaces the process by a new one, and tells whether it was killed. */
  arm(point: KillPoint): () => boolean;
  /** Reports the number of every write. The answer ends this. */
  watch(report: (write: number) => unknown): () => void;
}

function createKillSwitch(): KillSwitch {
  let writes = 0;
  let point: KillPoint | undefined;
  let isDead = false;
  let report: (write: number) => unknown = () => undefined;
  const isAllowed = (moment: KillPoint["moment"]): boolean => {
    if (moment === "before") writes += 1;
    if (moment === "before") report(writes);
    if (point?.write === writes && point.moment === moment) isDead = true;
    return !isDead;
  };
  return {
    isAllowed,
    check(moment) {
      if (!isAllowed(moment)) throw new Error("the process was killed");
    },
    arm(next) {
      [writes, point, isDead] = [0, next, false];
      return () => {
        const wasKilled = isDead;
        [point, isDead] = [undefined, false];
        return wasKilled;
      };
    },
    watch(next) {
      [writes, report] = [0, next];
      return () => void (report = () => undefined);
    },
  };
}
