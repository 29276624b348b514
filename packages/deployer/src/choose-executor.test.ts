import { cloudNames, getCloud } from "@cloudwright/contract/clouds";
import { expect, test } from "vitest";
import { chooseExecutor, listExecutors } from "./choose-executor.ts";
import type { ServiceExecutor } from "./executor/executor.ts";
import { provisionerOf } from "./provisioner.ts";
import { createTestEntity } from "./testing/test-task.ts";
import { awsKubernetes } from "./kubernetes/aws/stack.ts";

const never = (): never => {
  throw new Error("nothing is opened");
};
const deps = { binaries: { get: never } };
const own = listExecutors(deps);
const cluster = { service: "cluster", cloud: "aws" };

test("M072 the provisioner in a cluster's spec determines the executor, and all other entities are built by Terraform", () => {
  const direct = createTestEntity("Cluster", { spec: { provisioner: "direct" } });
  const chosen = (provisioner: string) => chooseExecutor(own, { ...cluster, provisioner }).name;
  expect(chosen(provisionerOf(direct))).toBe("direct");
  for (const entity of [createTestEntity("Cluster", {}), createTestEntity("Network", {}), createTestEntity("Storage", {})])
    expect(chosen(provisionerOf(entity))).toBe("terraform");
});

test("M072 the fault for a cloud without direct clusters names the provisioner and the clouds that support it", () => {
  const supported = cloudNames.filter((cloud) => getCloud(cloud).provisioners.includes("direct"));
  expect(supported).toEqual(expect.arrayContaining(["aws", "gcp", "azure"]));
  for (const cloud of supported) expect(chooseExecutor(own, { ...cluster, cloud, provisioner: "direct" }).name).toBe("direct");
  expect(() => chooseExecutor(own, { ...cluster, cloud: "local", provisioner: "direct" })).toThrow(
    expect.objectContaining({
      code: "deployer.no_stack",
      message: expect.stringMatching(new RegExp(`"direct" in "local".*supported clouds: ${supported.join(", ")}$`)) as string,
    }),
  );
});

test("M206 a service that Terraform does not build in a cloud needs no choice of a provisioner", () => {
  const network = { service: "network", cloud: "local", provisioner: provisionerOf(createTestEntity("Network", {})) };
  expect(chooseExecutor(own, network).name).toBe("direct");
  expect(() => chooseExecutor(own, { ...network, service: "storage" })).toThrow(
    expect.objectContaining({ code: "deployer.no_stack" }),
  );
});

test("M072 a plug-in's executor applies to any provisioner unless it names one, and its stacks only to Terraform", () => {
  const plugIn = (provisioner?: string): ServiceExecutor => ({
    name: "plug-in",
    ...cluster,
    ...(provisioner === undefined ? {} : { provisioner }),
    checkSpec: never,
    open: never,
  });
  const choose = (executors: readonly ServiceExecutor[], provisioner: string) =>
    chooseExecutor(listExecutors({ ...deps, executors }), { ...cluster, provisioner }).name;
  expect(["terraform", "direct"].map((each) => choose([plugIn()], each))).toEqual(["plug-in", "plug-in"]);
  expect(["terraform", "direct"].map((each) => choose([plugIn("direct")], each))).toEqual(["terraform", "plug-in"]);
  const withStack = listExecutors({ ...deps, stacks: [{ ...awsKubernetes, folder: "mine" }] });
  expect(chooseExecutor(withStack, { ...cluster, provisioner: "direct" }).name).toBe("direct");
});
