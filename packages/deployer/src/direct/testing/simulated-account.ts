import { createParts, ownerTag, type CloudPart } from "@cloudwright/clouds";
import type { CloudName } from "@cloudwright/contract/clouds";
import { Secret, systemClock, textOf } from "@cloudwright/platform";
import {
  changeConditions,
  createMemoryFaults,
  createMemoryInventory,
  findSimulatedCloud,
  startApiHost,
  tagsOf,
  type CloudRecord,
  type Inventory,
} from "@cloudwright/simulator";
import type { Cloud } from "../../cloud.ts";
import type { ContractSubject } from "../../executor/testing/contract-subject.ts";
import type { TestParent, TestTaskOptions } from "../../testing/test-task.ts";

export const tenant = "0199-account";

/** The cloud-specific input of the executor contract suite, which builds clusters in one cloud. */
export interface DirectCloud {
  readonly cloud: CloudName;
  readonly title: string;
  readonly region: string;
  /** Returns the records that the account contains before the first run, and the cluster's network in payload format. */
  describeNetwork(options: Readonly<Record<string, unknown>>): {
    readonly records: readonly CloudRecord[];
    readonly network: TestParent;
  };
  readonly specs: ContractSubject["specs"];
  /** Resource type of a pool. */
  readonly poolType: string;
  /** Returns the attributes of a pool after a change made outside the platform. */
  disturbPool(attributes: CloudRecord["attributes"]): CloudRecord["attributes"];
  /** Attribute that distinguishes a new resource from the one that it replaced, if both have the same id. */
  readonly renewedBy?: string;
  /** Lists the additional node pools of a cluster with this spec. */
  listPools?(spec: TestTaskOptions["spec"]): TestTaskOptions["nodePools"];
}

/** A simulated account whose APIs are served over HTTP. */
export interface SimulatedAccountApi {
  readonly inventory: Inventory;
  readonly network: TestParent;
  /** Lists the records of an entity. `part` is empty if ids are sufficient to recognise duplicates. */
  listOwned(entityUid: string): Promise<readonly (CloudRecord & { readonly part: string })[]>;
  /** Opens the account as an agent does. `wrap` can change each resource type. */
  openCloud(wrap?: (part: CloudPart) => CloudPart): Promise<Cloud>;
  close(): Promise<void>;
}

/** A clock that shortens all waits, because operations in the account finish immediately. */
const quickClock = {
  now: () => systemClock.now(),
  sleep: (ms: number, signal?: AbortSignal) => systemClock.sleep(Math.min(ms, 2), signal),
};

export async function startSimulatedAccount({
  cloud,
  region,
  describeNetwork,
}: Pick<DirectCloud, "cloud" | "region" | "describeNetwork">): Promise<SimulatedAccountApi> {
  const inventory = createMemoryInventory();
  await changeConditions(inventory, tenant, { timeScale: 0 });
  const host = await startApiHost({ inventory, faults: createMemoryFaults(), secret: new Secret("test"), listen: { port: 0 } });
  const { options } = await host.issue(tenant, cloud, { region });
  const { records, network } = describeNetwork(options);
  for (const record of records) await inventory.put(tenant, record);
  const account = findSimulatedCloud(cloud)?.openAccount?.({ inventory, tenant, region });
  if (account === undefined) throw new Error(`${cloud} is not simulated`);
  return {
    inventory,
    network,
    async listOwned(entityUid) {
      const all = await inventory.list(tenant);
      const own = await account.listOwned?.(entityUid);
      if (own === undefined) return all.filter((each) => ownerOf(each) === entityUid).map((each) => ({ ...each, part: "" }));
      return own.flatMap(({ type, id, part = "" }) =>
        all.filter((each) => each.type === type && each.id === id).map((each) => ({ ...each, part })),
      );
    },
    async openCloud(wrap = (part) => part) {
      const closing: (() => Promise<void>)[] = [];
      return {
        openTerraform: async () => Promise.reject(new Error("a direct run must not open Terraform")),
        async openDirect(run) {
          const { parts, close } = createParts(cloud, { ...options, ...run, clock: quickClock });
          closing.push(close);
          return new Map([...parts].map(([name, part]) => [name, wrap(part)]));
        },
        listOwned: async () => [],
        openCluster: async () => Promise.reject(new Error("this account has no Kubernetes API")),
        clusters: account.clusters,
        async close() {
          for (const close of closing) await close();
        },
      };
    },
    close: () => host.close(),
  };
}

/** Returns the entity that owns a record. A record without tags may name its owner in its description. */
function ownerOf(record: CloudRecord): string | undefined {
  const described = /^cloudwright:entity=(?<uid>\S+) /.exec(textOf(record.attributes["description"]))?.groups?.["uid"];
  return textOf(tagsOf(record)[ownerTag]) || described;
}
