import { createUid, systemClock } from "@cloudwright/platform";
import { createDeployer } from "../../create-deployer.ts";
import { startTestEndpoint } from "../../testing/test-endpoint.ts";
import { createTestTask, type TestTaskOptions } from "../../testing/test-task.ts";
import { createInProcessExecutor } from "../in-process/in-process-executor.ts";
import type { ContractEntity, ContractSubject, KillPoint } from "./contract-subject.ts";
import { createFakeCloud, type FakeCloud, type FakeCloudOptions } from "./fake-cloud.ts";
import { createLabBlueprint } from "./lab-blueprint.ts";

const never = (): never => {
  throw new Error("the in-process executor must not start programs or open cloud sessions");
};

/** Creates a contract subject that uses the in-process executor and a fake cloud. */
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

/** An entity of the lab service and the fake cloud that contains its resources. */
export interface InProcessEntity extends ContractEntity {
  readonly cloud: FakeCloud;
}

export async function openInProcessEntity(parallelism: number, options: FakeCloudOptions = {}): Promise<InProcessEntity> {
  const uid = createUid(systemClock.now());
  const endpoint = await startTestEndpoint();
  const cloud = createFakeCloud(options);
  const kill = createKillSwitch();
  const blueprint = createLabBlueprint(cloud, (_call, moment) => kill.check(moment));
  const executors = [createInProcessExecutor(blueprint, { parallelism })];
  const deployer = createDeployer({ binaries: { get: never }, openCloud: never, executors });
  // GET requests do not count as writes, except for taking a plan, which succeeds only once.
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
      // Write 12 happens while the third resource is being created.
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

/** Counts writes and simulates a process that is killed at one of them. A killed process can neither write nor receive responses. */
export interface KillSwitch {
  /** Throws if the process is dead or dies at this write. */
  check(moment: KillPoint["moment"]): void;
  /** Returns false if the process is dead or dies at this write. */
  isAllowed(moment: KillPoint["moment"]): boolean;
  /** Sets the kill point. The returned function starts a new process and returns whether the old one was killed. */
  arm(point: KillPoint): () => boolean;
  /** Calls `report` with the running count at every write. The returned function removes the callback. */
  watch(report: (write: number) => unknown): () => void;
}

export function createKillSwitch(): KillSwitch {
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
