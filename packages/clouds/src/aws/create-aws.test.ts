import { Secret } from "@cloudwright/platform";
import { createMemoryInventory } from "@cloudwright/simulator";
import { startApiHost } from "@cloudwright/simulator/testing";
import { describeCloudLibrary, shortWaits, type LibraryFixture } from "../testing/library-contract.ts";
import { createAws } from "./create-aws.ts";

const cluster = { version: "1.29", nodeType: "m6i.large", subnets: ["subnet-a", "subnet-b"] };

describeCloudLibrary("createAws, the simulated API", openSimulated);

const simulated = { tenant: "contract", region: "us-east-1" };

async function openSimulated(): Promise<LibraryFixture> {
  const inventory = createMemoryInventory();
  const host = await startApiHost({ inventory, secret: new Secret("test"), listen: { port: 0 } });
  const { tenant, region } = simulated;
  for (const letter of ["a", "b"]) {
    const attributes = {
      id: `subnet-${letter}`,
      region,
      vpc_id: "vpc-1",
      availability_zone: region + letter,
      cidr_block: "10.0.0.0/24",
    };
    await inventory.put(tenant, { type: "aws_subnet", id: attributes.id, attributes });
  }
  const { environment } = await host.issue(tenant, "aws", { region });
  const secretAccessKey = environment["AWS_SECRET_ACCESS_KEY"] ?? "";
  const options = { accessKeyId: environment["AWS_ACCESS_KEY_ID"] ?? "", secretAccessKey, region, clock: shortWaits };
  const library = createAws({ ...options, endpoints: { all: host.address } });
  const kept = ["aws_iam_role", "aws_instance", "aws_ebs_volume", "aws_network_interface"];
  const listOthers = async (): Promise<string[]> =>
    (await Promise.all(kept.map((type) => inventory.list(tenant, type)))).flat().map(({ type, id }) => `${type} ${id}`);
  const sshKeys = ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA ada@example"];
  const instance = { image: "ubuntu-24.04", type: "t3.micro", subnet: "subnet-a", sshKeys, userData: "#!/bin/sh\necho hello\n" };
  return { library, cluster, instance, secrets: [secretAccessKey], listOthers, close: () => host.close() };
}
