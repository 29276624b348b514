import type { AccountView, QuotaKind } from "@cloudwright/clouds";
import type { Fault } from "@cloudwright/platform";
import { expect, test } from "vitest";
import type { JsonObject } from "../../task.ts";
import { createFakeView } from "../../testing/fake-view.ts";
import { createTestTask } from "../../testing/test-task.ts";
import { lookAhead } from "../look-ahead.ts";

const region = "eu-west-1";
const limits: Readonly<Partial<Record<QuotaKind, number>>> = {
  securityGroups: 10,
  rulesPerGroup: 2,
  groupsPerMachine: 2,
  ssdGiB: 100,
};

interface Asked {
  readonly spec: JsonObject;
  readonly references?: NonNullable<Parameters<typeof createTestTask>[1]>["references"];
  readonly outputs?: JsonObject;
  readonly view?: Partial<AccountView>;
}

/** Returns the fields of the problems, followed by those of the warnings. */
async function look(service: string, { spec, references = [], outputs = {}, view = {} }: Asked): Promise<readonly string[]> {
  const own = createFakeView({
    listZones: async () => ["eu-west-1a"],
    listOffered: async (types) => types.map((name) => ({ name, vcpus: 2, zones: [], isCommon: true })),
    findUsage: async (quota) => ({ limit: limits[quota] ?? 0, used: quota === "securityGroups" ? 10 : 0 }),
    ...view,
  });
  const network = { kind: "Network", uid: "n", name: "lan", spec: { region }, outputs: {} };
  const task = createTestTask(`${service}.preflight`, {
    spec,
    parents: [network],
    references,
    outputs,
    openState: async () => ({}) as never,
  });
  const account = { uid: "a", name: "acc", cloud: "aws", simulated: false, spec: {} };
  const openView = async () => ({ view: own, close: () => undefined });
  return lookAhead({ openView }, task, service, account).then(
    (findings) => findings.map(({ field }) => `${field} (warning)`),
    (fault: Fault) => (fault.fields ?? []).map(({ field }) => field),
  );
}

const egress = { direction: "egress", protocol: "tcp", cidr: "10.0.0.0/8" };
const group = (name: string, ...rules: JsonObject[]) => ({
  field: "securityGroups",
  kind: "SecurityGroup",
  uid: name,
  name,
  spec: { rules },
  outputs: {},
});

test("M206 preflight reports too many security groups and too many rules in one direction", async () => {
  const rule = { protocol: "tcp", cidr: "10.0.0.0/8" };
  expect(await look("securitygroup", { spec: { rules: [] } })).toEqual(["spec.network"]);
  const built = { outputs: { group_id: "sg-1" } };
  expect(
    await look("securitygroup", { spec: { rules: [rule, rule, { protocol: "arp", cidr: "0.0.0.0/0" }, egress] }, ...built }),
  ).toEqual([]);
  expect(await look("securitygroup", { spec: { rules: [rule, rule, rule] }, ...built })).toEqual(["spec.rules"]);
});

test("M206 preflight reports too many groups of an instance, and warns if only some of them limit outgoing traffic", async () => {
  const spec = { image: "ubuntu-24.04" };
  expect(await look("instance", { spec, references: [group("a", egress), group("b", egress)] })).toEqual([]);
  expect(await look("instance", { spec, references: [group("a", egress), group("b")] })).toEqual([
    "spec.securityGroups (warning)",
  ]);
  expect(await look("instance", { spec, references: ["a", "b", "c"].map((name) => group(name)) })).toEqual([
    "spec.securityGroups",
  ]);
});

test("M206 preflight reports a new volume that exceeds the quota", async () => {
  const spec = { account: "acc", region, sizeGib: 101 };
  expect(await look("volume", { spec })).toEqual(["spec.sizeGib"]);
  expect(await look("volume", { spec, outputs: { volume_id: "vol-1" } })).toEqual([]);
  expect(await look("volume", { spec: { ...spec, type: "gp2" } })).toEqual([]);
  expect(await look("volume", { spec: { ...spec, sizeGib: 100 } })).toEqual([]);
  expect(await look("volume", { spec, view: { findUsage: async () => undefined } })).toEqual([]);
});
