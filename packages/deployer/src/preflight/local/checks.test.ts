import type { AccountView } from "@cloudwright/clouds";
import type { Fault, FieldViolation } from "@cloudwright/platform";
import { expect, test } from "vitest";
import type { JsonObject } from "../../task.ts";
import { createFakeView } from "../../testing/fake-view.ts";
import { createTestTask } from "../../testing/test-task.ts";
import { lookAhead } from "../look-ahead.ts";

const account = { uid: "a", name: "rack", cloud: "local", simulated: false, spec: { local: {} } };
const network = { kind: "Network", uid: "n", name: "net", spec: {}, outputs: { network_id: "n-1" } };
const here = { id: "n-1", ranges: ["10.9.0.0/16"], owner: "n" };

/** Runs the preflight checks of an entity on a machine with this view. */
async function look(
  service: "network" | "instance",
  spec: JsonObject,
  view: Partial<AccountView>,
): Promise<readonly FieldViolation[]> {
  const parents = service === "instance" ? [network] : [];
  const shape = { region: "", ...(service === "instance" ? { image: "debian-12" } : {}), ...spec };
  const task = createTestTask(`${service}.preflight`, { spec: shape, parents, openState: async () => ({}) as never });
  const opened = { view: createFakeView({ listNetworks: async () => [here], ...view }), close: () => undefined };
  return lookAhead({ openView: async () => opened }, task, service, account).then(
    (warnings) => warnings,
    (fault: Fault) => fault.fields,
  );
}

test("M206 X013 a network whose range the machine already uses is found before it is built", async () => {
  expect(await look("network", { cidr: "10.8.0.0/16" }, {})).toEqual([]);
  const [finding] = await look("network", { cidr: "10.9.1.0/24" }, {});
  expect(finding).toMatchObject({ field: "spec.cidr" });
  const route = { id: "the machine's own eth0", ranges: ["192.168.0.0/24"] };
  const [own] = await look("network", { cidr: "192.168.0.0/16" }, { listNetworks: async () => [route] });
  expect(own?.message).toContain("the machine's own eth0");
});

test("M177 X013 Open vSwitch must run on the machine if a network asks for it", async () => {
  const missing = { hasOpenVswitch: async () => false };
  const spec = { cidr: "10.8.0.0/16", local: { switch: "ovs" } };
  expect(await look("network", spec, missing)).toMatchObject([{ field: "spec.local.switch" }]);
  expect(await look("network", spec, { hasOpenVswitch: async () => true })).toEqual([]);
  expect(await look("network", { ...spec, local: { switch: "bridge" } }, missing)).toEqual([]);
});

test("M206 X013 an instance that does not fit on the machine is found before it is built", async () => {
  const roomy: Partial<AccountView> = {
    findUsage: async (quota) => (quota === "memoryMiB" ? { limit: 8192, used: 4096 } : { limit: 100, used: 50 }),
  };
  expect(await look("instance", { machineType: "2x4" }, roomy)).toEqual([]);
  const found = await look("instance", { machineType: "64x5", rootDisk: { sizeGib: 60 } }, roomy);
  expect(found.map(({ field, message }) => [field, message])).toEqual([
    ["spec.machineType", "is 64x5, but the machine has 32 processors"],
    ["spec.machineType", "needs 5120 MiB of memory, but the machine has 4096 that no instance has reserved"],
    ["spec.rootDisk.sizeGib", "needs 60 GiB of disk space, but the machine has 50 that no instance has reserved"],
  ]);
});

test("M206 X013 an unknown image and a network that is not on the machine are found before anything is built", async () => {
  const fields = async (view: Partial<AccountView>): Promise<string[]> =>
    (await look("instance", {}, view)).map(({ field }) => field);
  expect(await fields({ hasImage: async () => false })).toEqual(["spec.image"]);
  expect(await fields({ listNetworks: async () => [] })).toEqual(["spec.network"]);
});
