import type { CloudPart } from "@cloudwright/clouds";
import { createUid, systemClock, textOf } from "@cloudwright/platform";
import { createDeployer } from "../../create-deployer.ts";
import type { ContractEntity, ContractSubject } from "../../executor/testing/contract-subject.ts";
import { createKillSwitch } from "../../executor/testing/in-process-subject.ts";
import { startTestEndpoint } from "../../testing/test-endpoint.ts";
import { createTestTask, type TestTaskOptions } from "../../testing/test-task.ts";
import { startSimulatedAccount, tenant, type DirectCloud } from "./simulated-account.ts";

const never = (): never => {
  throw new Error("the direct executor starts no program");
};

/** Creates a contract subject that builds clusters through the simulated API of a cloud. */
export function createDirectSubject(direct: DirectCloud, kills: ContractSubject["kills"]): ContractSubject {
  const { title, specs } = direct;
  return { name: `direct executor, ${title}`, specs, kills, openEntity: () => openEntity(direct) };
}

async function openEntity(direct: DirectCloud): Promise<ContractEntity> {
  const { cloud, poolType, renewedBy = "" } = direct;
  const uid = createUid(systemClock.now());
  const [account, endpoint] = [await startSimulatedAccount(direct), await startTestEndpoint()];
  const { inventory, network } = account;
  const kill = createKillSwitch();
  const creations = { started: 0, report: (_started: number): unknown => undefined };
  const guard = async <Result>(call: () => Promise<Result>): Promise<Result> => {
    kill.check("before");
    const result = await call();
    kill.check("after");
    return result;
  };
  const wrap = (part: CloudPart): CloudPart => ({
    ...part,
    create: (attributes, owner, signal) =>
      guard(() => {
        creations.report((creations.started += 1));
        signal.throwIfAborted();
        return part.create(attributes, owner, signal);
      }),
    update: (id, attributes, signal) => guard(() => part.update(id, attributes, signal)),
    delete: (id, signal) => guard(() => part.delete(id, signal)),
  });
  const deployer = createDeployer({ binaries: { get: never }, openCloud: () => account.openCloud(wrap) });
  endpoint.intercept((method, moment, path) => (method === "GET" && !path.includes("/plans/")) || kill.isAllowed(moment));
  const findPool = async () => {
    const [found] = (await inventory.list(tenant)).filter(({ type }) => type === poolType);
    if (found === undefined) throw new Error("the cluster has no pool");
    return found;
  };
  return {
    uid,
    endpoint,
    handle: (action: string, given: TestTaskOptions = {}) =>
      deployer.handle(
        createTestTask(`cluster.${action}`, {
          entityUid: uid,
          name: "dev",
          account: { cloud },
          parents: [network],
          nodePools: direct.listPools?.(given.spec) ?? [],
          openState: async () => endpoint.access(uid),
          ...given,
        }),
      ),
    killAt: (point) => kill.arm(point),
    async cancelInTheMiddle(work) {
      const controller = new AbortController();
      creations.started = 0;
      creations.report = (started) => started === 3 && controller.abort(new Error("cancelled"));
      try {
        return await work(controller.signal);
      } finally {
        creations.report = () => undefined;
      }
    },
    async list() {
      return (await account.listOwned(uid)).map(({ type, id, part, attributes }) => ({
        key: `${type}.${part || id}`,
        id: `${id} ${JSON.stringify(attributes[renewedBy] ?? null)}`,
      }));
    },
    async changeOutside() {
      const record = await findPool();
      await inventory.put(tenant, { ...record, attributes: direct.disturbPool(record.attributes) });
    },
    async removeOutside() {
      const { type, id } = await findPool();
      await inventory.delete(tenant, { type, id: textOf(id) });
    },
    async close() {
      await account.close();
      await endpoint.close();
    },
  };
}
