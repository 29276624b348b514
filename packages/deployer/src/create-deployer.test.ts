import { Fault, Secret } from "@cloudwright/platform";
import { terraformFaults, type Binaries } from "@cloudwright/terraform";
import { expect, test } from "vitest";
import { createDeployer } from "./create-deployer.ts";
import { awsNetwork } from "./network/aws/stack.ts";
import { createTestTask, type TestTaskOptions } from "./testing/test-task.ts";

const binaries: Binaries = { get: () => Promise.resolve({ product: "terraform", version: "1.11.4", path: "/nowhere" }) };
const never = (): never => {
  throw new Error("no program may be started");
};
const deployer = createDeployer({ binaries, openCloud: never });

test("M060 a deployer lists its task types", () => {
  const network = ["preflight", "plan", "apply", "destroy", "check"].map((action) => `network.${action}`);
  expect(deployer.types).toEqual(expect.arrayContaining(["account.verify", ...network]));
});

test("M064 a simulated account is valid; a real account of an unsupported cloud is rejected without a retry", async () => {
  await expect(deployer.handle(createTestTask("account.verify"))).resolves.toMatchObject({ outcome: "done" });
  for (const type of deployer.types) {
    const refused = deployer.handle(createTestTask(type, { account: { simulated: false, cloud: "other" }, plan: "p" }));
    await expect(refused).rejects.toMatchObject({ code: "deployer.no_credentials", retry: "never" });
  }
});

test("M020 a real account is verified by its cloud with the credentials of the task", async () => {
  const real = createDeployer({
    binaries,
    openCloud: never,
    verifyAccount: async ({ name }, { region, openCredentials }) => {
      const spec = (await openCredentials()).reveal();
      return { accountId: "123456789012", identity: `${name} ${region} ${JSON.stringify(spec)}` };
    },
  });
  const openCredentials = async () => new Secret({ aws: { accessKeyId: "AKIA" } });
  const done = await real.handle(
    createTestTask("account.verify", { kind: "Network", account: { simulated: false }, openCredentials }),
  );
  const identity = 'acc eu-west-1 {"aws":{"accessKeyId":"AKIA"}}';
  expect(done).toEqual({ outcome: "done", outputs: { account_id: "123456789012", identity } });
});

test("M063 preflight rejects specs that cannot be built, without starting a program", async () => {
  await expect(deployer.handle(createTestTask("network.preflight"))).resolves.toEqual({ outcome: "done", outputs: {} });
  const refused: [TestTaskOptions, string][] = [
    [{ spec: { cidr: "10.0.0.0/29" } }, "deployer.bad_spec"],
    [{ account: { cloud: "other" } }, "deployer.no_stack"],
    [{ account: null }, "deployer.bad_spec"],
    [{ spec: { infra: { version: "v99.0.0" } } }, "deployer.no_stack"],
    [{ outputs: { infra_version: "v0.0.1" }, spec: { infra: { version: "v0.1.0" } } }, "deployer.no_upgrade"],
    [{ spec: { infra: { overrides: { terraform: { backend: { local: {} } } } } } }, "deployer.bad_overrides"],
    [{ spec: { infra: { ignore: [{ address: "aws_vpc.this" }] } } }, "deployer.bad_spec"],
  ];
  for (const [options, code] of refused) {
    await expect(deployer.handle(createTestTask("network.preflight", options))).rejects.toMatchObject({ code, retry: "never" });
  }
});

test("M071 an apply without a plan is rejected before the state is opened", async () => {
  await expect(deployer.handle(createTestTask("network.apply"))).rejects.toMatchObject({
    code: "deployer.no_plan",
    retry: "never",
  });
});

test("M049 a stopped run is reported as cancelled, not as failed", async () => {
  const stopped = createDeployer({
    openCloud: never,
    binaries: { get: () => Promise.reject(new Fault(terraformFaults.cancelled, "stopped")) },
  });
  await expect(stopped.handle(createTestTask("network.plan"))).resolves.toEqual({ outcome: "cancelled" });
});

test("M074 a plug-in's stack takes precedence over the product's own, and its errors become faults", async () => {
  const said: string[] = [];
  const variables = (): never => {
    said.push("asked");
    throw new TypeError("undefined is not a function");
  };
  const extended = createDeployer({ binaries, openCloud: never, stacks: [{ ...awsNetwork, variables }] });
  await expect(extended.handle(createTestTask("network.preflight"))).rejects.toMatchObject({ code: "deployer.bad_stack" });
  expect(said).toEqual(["asked"]);
  const other = createDeployer({ binaries, openCloud: never, stacks: [{ ...awsNetwork, service: "queue" }] });
  expect(other.types).toEqual(expect.arrayContaining(["queue.plan", "queue.apply", "network.plan"]));
});
