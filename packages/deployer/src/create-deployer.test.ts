import { Fault } from "@cloudwright/platform";
import { terraformFaults, type Binaries } from "@cloudwright/terraform";
import { expect, test } from "vitest";
import { createDeployer } from "./create-deployer.ts";
import type { DeployedAccount, DeployerTask, JsonObject } from "./task.ts";

const binaries: Binaries = { get: () => Promise.resolve({ product: "terraform", version: "1.11.4", path: "/nowhere" }) };
const never = (): never => {
  throw new Error("nothing is to be run");
};
const deployer = createDeployer({ binaries, openCloud: never });

function createTask(type: string, account: Partial<DeployedAccount> | null, spec: JsonObject = {}): DeployerTask {
  const entity = { kind: "Network", uid: "u", name: "net", project: "default", environment: "", labels: {} };
  const whole = { uid: "0199-account", name: "acc", cloud: "aws", simulated: true, spec: {} };
  return {
    task: { type },
    payload: {
      entity: { ...entity, spec: { region: "eu-west-1", ...spec } },
      account: account === null ? null : { ...whole, ...account },
      outputs: {},
      parents: [],
      nodePools: [],
    },
    directory: "/nowhere",
    resumed: false,
    signal: new AbortController().signal,
    log: () => undefined,
    progress: () => undefined,
    spawn: never,
    openState: never,
  };
}

test("M060 a deployer says which tasks it does", () => {
  const actions = ["preflight", "apply", "destroy", "check"];
  const services = ["network", "cluster", "storage"].flatMap((service) => actions.map((action) => `${service}.${action}`));
  expect(deployer.types).toEqual(["account.verify", ...services]);
});

test("M064 a simulated account is good; a real one is refused for good until credentials can be given", async () => {
  await expect(deployer.handle(createTask("account.verify", {}))).resolves.toMatchObject({ outcome: "done" });
  for (const type of deployer.types) {
    const refused = deployer.handle(createTask(type, { simulated: false }));
    await expect(refused).rejects.toMatchObject({ code: "deployer.no_credentials", retry: "never" });
  }
});

test("M063 a look ahead refuses what could not be built, and starts nothing", async () => {
  await expect(deployer.handle(createTask("network.preflight", {}))).resolves.toEqual({ outcome: "done", outputs: {} });
  await expect(deployer.handle(createTask("network.preflight", {}, { cidr: "10.0.0.0/29" }))).rejects.toMatchObject({
    code: "deployer.bad_spec",
  });
  await expect(deployer.handle(createTask("network.preflight", { cloud: "gcp" }))).rejects.toMatchObject({
    code: "deployer.no_stack",
  });
  await expect(deployer.handle(createTask("network.apply", null))).rejects.toMatchObject({ code: "deployer.bad_spec" });
});

test("M049 a run that was asked to stop is cancelled, not failed", async () => {
  const stopped = createDeployer({
    openCloud: never,
    binaries: { get: () => Promise.reject(new Fault(terraformFaults.cancelled, "stopped")) },
  });
  await expect(stopped.handle(createTask("network.apply", {}))).resolves.toEqual({ outcome: "cancelled" });
});
