import { cloudsFaults, type AccountView } from "@cloudwright/clouds";
import { Fault } from "@cloudwright/platform";
import { expect, test } from "vitest";
import { createDeployer } from "../create-deployer.ts";
import type { JsonObject } from "../task.ts";
import { createFakeView } from "../testing/fake-view.ts";
import { createTestTask, type TestTaskOptions } from "../testing/test-task.ts";

const never = (): never => {
  throw new Error("nothing is to be run");
};

interface Case extends TestTaskOptions {
  readonly view?: Partial<AccountView>;
  readonly newPool?: string;
}

async function findings(type: string, { view, newPool, ...options }: Case = {}): Promise<JsonObject[]> {
  const openView = async () => ({ view: createFakeView(view), close: () => undefined });
  const deployer = createDeployer({ binaries: { get: never }, openCloud: never, openView });
  const task = createTestTask(type, { openState: async () => ({}) as never, ...options });
  const end = await deployer.handle({ ...task, payload: { ...task.payload, ...(newPool === undefined ? {} : { newPool }) } });
  expect(end.outcome).toBe("done");
  return ("outputs" in end ? end.outputs?.["findings"] : undefined) as JsonObject[];
}

const network = { kind: "Network", uid: "n", name: "main", spec: { region: "eu-west-1" }, outputs: {} };
const built = { ...network, outputs: { network_id: "vpc-1", private_subnet_ids: ["subnet-1", "subnet-2"] } };
const cluster = { kind: "Cluster", name: "dev", entityUid: "c" };

test("X013 a preflight reports all problems of a spec and its account with help, and none for a valid one", async () => {
  expect(await findings("network.look")).toEqual([]);
  const found = await findings("network.look", {
    spec: { zones: ["a", "f"], infra: { version: "v99.0.0" } },
    view: { listDenied: async () => ["ec2:CreateVpc"] },
  });
  expect(found.map(({ field }) => field)).toEqual(["spec.infra.version", "account", "spec.zones"]);
  for (const { message, help } of found) expect([message, help]).not.toContain("");
});

test("X013 the account is checked even while the cluster's network is being built", async () => {
  const asked = { ...cluster, spec: { version: "1.19", networking: { podCidr: "10.9.0.0/16" } } };
  const early = await findings("cluster.look", { ...asked, parents: [network] });
  expect(early.map(({ field }) => field)).toEqual(["spec.version"]);
  const later = await findings("cluster.look", { ...asked, parents: [built] });
  expect(later.map(({ field }) => field)).toEqual(["spec.networking.podCidr", "spec.version"]);
});

test("X013 a new node pool gets only its own findings, with its own field paths", async () => {
  const pool = { uid: "p", name: "big", spec: { instanceType: "x9.huge", desired: 20 } };
  const view = {
    listOffered: async () => [{ name: "t3.medium", vcpus: 2, zones: ["eu-west-1a", "eu-west-1b", "eu-west-1c"], isCommon: true }],
  };
  const asked = { ...cluster, spec: { version: "1.19", workers: 20 }, parents: [built], nodePools: [pool], newPool: "big", view };
  const found = await findings("cluster.look", asked);
  expect(found.map(({ field }) => field)).toEqual(["spec.instanceType", "spec.desired"]);
});

test("X013 rejected credentials are a finding, but an unreachable cloud is not", async () => {
  const refuse = async (): Promise<never> => {
    throw new Fault(cloudsFaults.credentials_refused, "expired");
  };
  expect(await findings("storage.look", { kind: "Storage", parents: [network], view: { getIdentity: refuse } })).toMatchObject([
    { field: "account", message: "expired" },
  ]);
  const silent = async (): Promise<never> => {
    throw new Fault(cloudsFaults.unreachable, "nobody answers");
  };
  await expect(findings("network.look", { view: { getIdentity: silent } })).rejects.toMatchObject({ code: "clouds.unreachable" });
});
