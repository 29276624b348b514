import { describe, expect, test } from "vitest";
import { clusterStatuses, instanceStatuses, readClusterStatus, readInstanceStatus } from "./statuses.ts";
import { readApiModels } from "./testing/api-models.ts";

const models = readApiModels();
const missing = models === undefined ? ": Azure's API models are not on this machine" : "";

/** Azure declares provisioning states as free text. These are the values in its documentation. */
const documented = {
  clusters: [
    "Canceled",
    "Creating",
    "Deleting",
    "Failed",
    "Starting",
    "Stopping",
    "Succeeded",
    "Updating",
    "Upgrading",
    "Scaling",
  ],
  machines: ["Creating", "Updating", "Migrating", "Deleting", "Failed", "Succeeded", "Canceled"],
  power: ["starting", "running", "stopping", "stopped", "deallocating", "deallocated"],
};

describe.skipIf(models === undefined)(`M148 the statuses of Azure${missing}`, () => {
  const wordsOf = (pattern: RegExp): string[] =>
    [...(models?.enums ?? [])].flatMap(([name, words]) => (pattern.test(name) ? words : []));

  test("cover every provisioning state and power state in the API models", () => {
    // Pod identities have an `Assigned` state, which clusters and pools lack.
    const states = wordsOf(/^(Namespace|TrustedAccessRoleBinding|PrivateEndpointConnection)ProvisioningState$/);
    expect(states).toContain("Updating");
    expect(states.filter((word) => !Object.hasOwn(clusterStatuses, word))).toEqual([]);
    const codes = wordsOf(/^Code$/);
    expect(codes).toEqual(["Running", "Stopped"]);
    expect(codes.map((code) => readClusterStatus("Succeeded", code).status)).toEqual(["running", "stopped"]);
    const machines = wordsOf(/^GalleryProvisioningState$/);
    expect(machines).toContain("Migrating");
    expect(machines.filter((word) => !Object.hasOwn(instanceStatuses, word))).toEqual([]);
  });

  test("have a field of the models for every state that the library reads", () => {
    for (const model of ["ManagedClusterProperties", "VirtualMachineProperties", "AgentPoolProperties"])
      expect(models?.fields.get(model)?.has("provisioningState")).toBe(true);
    expect(models?.fields.get("InstanceViewStatus")?.has("code")).toBe(true);
  });
});

test("M148 the table of Azure's statuses covers the documented values", () => {
  expect(documented.clusters.filter((word) => !Object.hasOwn(clusterStatuses, word))).toEqual([]);
  expect(documented.machines.filter((word) => !Object.hasOwn(instanceStatuses, word))).toEqual([]);
  expect(documented.power.filter((word) => !Object.hasOwn(instanceStatuses, `PowerState/${word}`))).toEqual([]);
});

test("M148 status words that the library does not know become unknown, even the names of built-in properties", () => {
  for (const word of ["Dancing", "", "constructor", "__proto__", "toString"]) {
    expect(readClusterStatus(word)).toEqual({ status: "unknown", nativeStatus: word });
    expect(readInstanceStatus("Succeeded", word)).toEqual({ status: "unknown", nativeStatus: word });
  }
  expect(readClusterStatus(undefined).status).toBe("unknown");
  expect(readInstanceStatus(undefined).status).toBe("unknown");
});

test.each([
  ["Creating", "PowerState/running", "pending"],
  ["Updating", "PowerState/running", "running"],
  ["Failed", "PowerState/running", "running"],
  ["Failed", "PowerState/stopped", "failed"],
  ["Succeeded", "PowerState/deallocating", "stopping"],
  ["Deleting", "PowerState/running", "terminating"],
])("M148 a machine that is %s and %s is %s", (state, power, status) => {
  expect(readInstanceStatus(state, power).status).toBe(status);
});
