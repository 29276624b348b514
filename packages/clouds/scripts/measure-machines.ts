/**
 * Measures how long the `@cloudwright/clouds` library takes to create a machine and to detect that it is running. Uses the simulated AWS
 * API, in which machines start immediately. Prints one JSON object with the durations in milliseconds. The benchmark SETUP runs this
 * program.
 */
import { createAws } from "../src/index.ts";
import { Secret } from "@cloudwright/platform";
import { changeConditions, createMemoryFaults, createMemoryInventory, startApiHost } from "@cloudwright/simulator";

const rounds = Number(process.argv[2] ?? 5);
const [tenant, region] = ["account", "eu-west-1"];

const inventory = createMemoryInventory();
await changeConditions(inventory, tenant, { timeScale: 0 });
await inventory.put(tenant, { type: "aws_vpc", id: "vpc-1", attributes: { id: "vpc-1", region, cidr_block: "10.0.0.0/16" } });
const subnet = { id: "subnet-a", region, vpc_id: "vpc-1", availability_zone: `${region}a`, cidr_block: "10.0.0.0/24" };
await inventory.put(tenant, { type: "aws_subnet", id: "subnet-a", attributes: subnet });
const host = await startApiHost({ inventory, faults: createMemoryFaults(), secret: new Secret("bench"), listen: { port: 0 } });
try {
  const { options } = await host.issue(tenant, "aws", { region });
  const took: number[] = [];
  // The first round loads the SDK. Its result is discarded.
  for (let round = -1; round < rounds; round += 1) {
    const aws = createAws({ ...options, region });
    const startedMs = performance.now();
    const request = { name: `machine-${round + 1}`, image: "ubuntu-24.04", type: "t3.micro", subnet: "subnet-a" };
    const { status } = await aws.instances.create(request, { wait: "ready" });
    const tookMs = performance.now() - startedMs;
    if (status !== "running") throw new Error(`the machine is ${status}`);
    if (round >= 0) took.push(tookMs);
  }
  console.log(JSON.stringify({ took }));
} finally {
  await host.close();
}
