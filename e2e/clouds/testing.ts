import { Secret } from "@cloudwright/platform";
import { createMemoryInventory } from "@cloudwright/simulator";
import { startApiHost } from "@cloudwright/simulator/testing";

const region = "us-east-1";
const tenant = "test-clouds";

/** A simulated AWS account that a run cannot distinguish from a real one. */
export interface SimulatedAccount {
  /** Environment variables that a run reads. */
  readonly environment: Readonly<Record<string, string>>;
  /** Lists all resources in the account. */
  list(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Opens an account with two subnets. */
export async function openSimulatedAccount(): Promise<SimulatedAccount> {
  const inventory = createMemoryInventory();
  const host = await startApiHost({ inventory, secret: new Secret("test"), listen: { port: 0 } });
  for (const letter of ["a", "b"]) {
    const id = `subnet-${letter}`;
    const attributes = { id, region, vpc_id: "vpc-1", availability_zone: region + letter, cidr_block: "10.0.0.0/24" };
    await inventory.put(tenant, { type: "aws_subnet", id, attributes });
  }
  const issued = await host.issue(tenant, "aws", { region });
  return {
    environment: {
      ...issued.environment,
      AWS_REGION: region,
      AWS_ENDPOINT_URL: host.address,
      CLOUDWRIGHT_TEST_SUBNETS: "subnet-a,subnet-b",
    },
    list: async () =>
      (await inventory.list(tenant))
        .filter(({ type }) => type.startsWith("aws_"))
        .map(({ type, id }) => `${type} ${id}`)
        .toSorted(),
    close: () => host.close(),
  };
}
