import { getCloud, type CloudName } from "@cloudwright/contract/clouds";
import type { Fault, FieldViolation } from "@cloudwright/platform";
import { createMemoryInventory, findSimulatedCloud } from "@cloudwright/simulator";
import { describe, expect, test } from "vitest";
import { createFakeView } from "../testing/fake-view.ts";
import { createTestTask } from "../testing/test-task.ts";
import { lookAhead } from "./look-ahead.ts";

const regions: Readonly<Record<string, string>> = { aws: "eu-west-1", gcp: "europe-west1", azure: "westeurope" };

/** Runs the preflight checks of a cluster in a simulated account. */
async function look(cloud: CloudName, instanceType: string): Promise<readonly FieldViolation[]> {
  const region = regions[cloud] ?? "";
  const simulated = findSimulatedCloud(cloud)?.openAccount?.({ inventory: createMemoryInventory(), tenant: "t", region });
  const view = createFakeView(simulated);
  const parents = [{ kind: "Network", uid: "n", name: "main", spec: { region }, outputs: {} }];
  const task = createTestTask("cluster.preflight", { spec: { instanceType }, parents, openState: async () => ({}) as never });
  const account = { uid: "a", name: "acc", cloud, simulated: true, spec: {} };
  return lookAhead({ openView: async () => ({ view, close: () => undefined }) }, task, "cluster", account).then(
    () => [],
    (fault: Fault) => fault.fields,
  );
}

describe.each([
  ["aws", "m6i.99xlarge", "m6i.48xlarge"],
  ["aws", "m6i.nano", "m6i.large"],
  ["gcp", "n2d-standard-99", "n2d-standard-96"],
  ["gcp", "c3-highmem-9999", "c3-highmem-192-metal"],
  ["gcp", "n2-custom-7-8192", undefined],
  ["gcp", "c3-custom-4-8192", undefined],
  ["azure", "Standard_D3s_v5", "Standard_D2s_v5"],
  ["azure", "Standard_D4s_v9", "Standard_D4s_v6"],
  ["azure", "Standard_D4zz_v5", "Standard_D4_v5"],
] as const)("X013 preflight of a simulated %s account", (cloud, wrong, near) => {
  test(`finds the machine type ${wrong}, which looks right but does not exist`, async () => {
    const [finding, ...others] = await look(cloud, wrong);
    expect([finding?.field, others]).toEqual(["spec.instanceType", []]);
    const hint = near === undefined ? "" : ` (did you mean ${near}?)`;
    expect(finding?.message).toBe(`${regions[cloud] ?? ""} does not offer the machine type ${wrong}${hint}`);
  });
});

test.each(["aws", "gcp", "azure"] as const)(
  "X013 preflight of a simulated %s account accepts every suggested type",
  async (cloud) => {
    const { suggestedTypes } = getCloud(cloud).machines;
    const findings = await Promise.all(suggestedTypes.map((type) => look(cloud, type)));
    expect(findings.flat().filter(({ message }) => message.includes("does not offer"))).toEqual([]);
  },
);
