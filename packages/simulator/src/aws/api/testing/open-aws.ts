import { EC2Client } from "@aws-sdk/client-ec2";
import { EKSClient } from "@aws-sdk/client-eks";
import { IAMClient } from "@aws-sdk/client-iam";
import { STSClient } from "@aws-sdk/client-sts";
import { Secret, systemClock, type Clock } from "@cloudwright/platform";
import { startApiHost, type ApiHost, type ApiHostOptions } from "../../../api/start-api-host.ts";
import { defaultConditions, type Conditions } from "../../../cloud/conditions.ts";
import type { Inventory } from "../../../inventory/inventory.ts";
import { createMemoryInventory } from "../../../inventory/memory-inventory.ts";
import { createMemoryFaults } from "../../../simulated-faults/memory-faults.ts";
import type { SimulatedFaultControl } from "../../../simulated-faults/simulated-fault.ts";

/** A client's keys. */
export interface ClientKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** A simulated AWS API and the official clients for it. */
export interface AwsUnderTest {
  readonly host: ApiHost;
  readonly inventory: Inventory;
  readonly faults: SimulatedFaultControl;
  keysOf(tenant: string): Promise<ClientKeys>;
  connect(keys: ClientKeys, options?: ConnectOptions): Clients;
  /** Moves the cloud's clock, including the clock that signatures are checked against. */
  shift(ms: number): void;
  /** Advances simulated time for operations in progress. Signatures are not affected. */
  advance(ms: number): void;
  /** Throws if an internal error occurred. */
  close(): Promise<void>;
}

export interface ConnectOptions {
  readonly region?: string;
  readonly maxAttempts?: number;
  readonly systemClockOffset?: number;
}

export interface Clients {
  readonly eks: EKSClient;
  readonly ec2: EC2Client;
  readonly iam: IAMClient;
  readonly sts: STSClient;
}

/** Starts a simulated AWS API. Operations take as long as in the real cloud unless the conditions specify otherwise. */
export async function openAws(options: Partial<ApiHostOptions> = {}): Promise<AwsUnderTest> {
  let shiftMs = 0;
  let advancedMs = 0;
  const clock: Clock = { ...systemClock, now: () => systemClock.now() + shiftMs + advancedMs };
  const conditions: Conditions = {
    ...defaultConditions,
    timeScale: 1,
    get clockSkewMs() {
      return -advancedMs;
    },
  };
  const inventory = options.inventory ?? createMemoryInventory();
  const faults = createMemoryFaults();
  const troubles: string[] = [];
  const host = await startApiHost({
    inventory,
    faults,
    clock,
    secret: new Secret("test"),
    listen: { port: 0 },
    conditions,
    onTrouble: (message) => troubles.push(message),
    ...options,
  });
  const open: { destroy(): void }[] = [];
  return {
    host,
    inventory,
    faults,
    async keysOf(tenant) {
      const { environment } = await host.issue(tenant, "aws");
      return {
        accessKeyId: environment["AWS_ACCESS_KEY_ID"] ?? "",
        secretAccessKey: environment["AWS_SECRET_ACCESS_KEY"] ?? "",
      };
    },
    connect(credentials, { region = "eu-west-1", maxAttempts = 1, systemClockOffset = 0 } = {}) {
      const settings = { credentials, region, maxAttempts, systemClockOffset, endpoint: host.address };
      const clients = {
        eks: new EKSClient(settings),
        ec2: new EC2Client(settings),
        iam: new IAMClient(settings),
        sts: new STSClient(settings),
      };
      open.push(...Object.values(clients));
      return clients;
    },
    shift: (ms) => void (shiftMs += ms),
    advance: (ms) => void (advancedMs += ms),
    async close() {
      for (const client of open) client.destroy();
      await host.close();
      if (troubles.length > 0) throw new Error(troubles.join("\n"));
    },
  };
}

/** Adds two subnets in different zones. */
export async function seedSubnets(inventory: Inventory, tenant: string, region = "eu-west-1"): Promise<readonly string[]> {
  const subnets = ["a", "b"].map((letter, index) => ({
    id: `subnet-${letter}`,
    region,
    vpc_id: "vpc-1",
    availability_zone: `${region}${letter}`,
    cidr_block: `10.0.${index}.0/24`,
  }));
  for (const attributes of subnets) await inventory.put(tenant, { type: "aws_subnet", id: attributes.id, attributes });
  return subnets.map(({ id }) => id);
}
