import { requireTool } from "@cloudwright/platform";
import { describe } from "vitest";
import { describeCloudLibrary, shortWaits, type LibraryFixture } from "../testing/library-contract.ts";
import { startMotoServer } from "../testing/moto-server.ts";
import { createAws } from "./create-aws.ts";

const keys = { accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "canary-secret-access-key", sessionToken: "canary-session" };
const secrets = [keys.secretAccessKey, keys.sessionToken];
const cluster = { version: "1.29", nodeType: "m6i.large", subnets: ["subnet-a", "subnet-b"] };

const moto = requireTool("moto_server");
describe.skipIf(!moto.found)(`against moto${moto.found ? "" : `: ${moto.reason}`}`, () => {
  describeCloudLibrary("createAws, moto", openMoto, {
    "pool tags": "moto does not support tags on node groups",
    versions: "moto has no DescribeClusterVersions",
    upgrade: "moto has no UpdateClusterVersion",
  });
});

async function openMoto(): Promise<LibraryFixture> {
  const server = await startMotoServer(moto.found ? moto.path : "", { MOTO_IAM_LOAD_MANAGED_POLICIES: "true" });
  const library = createAws({ ...keys, region: "us-east-1", endpoints: { all: server.address }, clock: shortWaits });
  const sshKeys = ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA ada@example"];
  const instance = { image: "ami-12c6146b", type: "t3.micro", sshKeys, userData: "#!/bin/sh\necho hello\n" };
  return { library, cluster, instance, secrets, close: () => server.close() };
}
