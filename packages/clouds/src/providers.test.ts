import { cloudNames } from "@cloudwright/contract/clouds";
import { requireTool, Secret, systemClock } from "@cloudwright/platform";
import { CreateVolumeCommand, CreateVpcCommand } from "@aws-sdk/client-ec2";
import { describe, expect, test } from "vitest";
import { createAwsApi } from "./aws/api.ts";
import { createCredentialSource } from "./aws/credentials.ts";
import { fakeClient, fakeRegion, fakeSecret, fakeSubscription, fakeTenant, startFakeAzure } from "./azure/testing/fake-azure.ts";
import { capabilities } from "./cloud-provider.ts";
import { createProvider } from "./providers.ts";
import { describeCloudProvider, type ContractFixture } from "./testing/cloud-provider-contract.ts";
import { openGoogle, privateKeyLine, project, region as googleRegion, serviceAccountKey } from "./gcp/testing/open-google.ts";
import { startMotoServer } from "./testing/moto-server.ts";

test("every cloud has a provider with its name", () => {
  for (const name of cloudNames) expect(createProvider(name).name).toBe(name);
});

const unused = async (): Promise<never> => Promise.reject(new Error("nothing can be created in this cloud yet"));
const unfinished = cloudNames.filter((name) => createProvider(name).capabilities.size === 0);
for (const name of unfinished) {
  describeCloudProvider(name, new Set(), async () => ({
    provider: createProvider(name),
    region: "",
    credentials: {},
    createNetwork: unused,
    createClusterVolume: unused,
    close: async () => undefined,
  }));
}

const moto = requireTool("moto_server");
describe.skipIf(!moto.found)(`against moto${moto.found ? "" : `: ${moto.reason}`}`, () => {
  describeCloudProvider("aws", new Set(capabilities), openAws);
});

describeCloudProvider("gcp", new Set(capabilities), openGcp);

async function openGcp(): Promise<ContractFixture> {
  const { server } = await openGoogle();
  const { resources, answers, endpoints } = server;
  answers.set(`GET container/v1/projects/${project}/locations/-/clusters`, {});
  answers.set(`GET iam_beta/v1/projects/${project}/serviceAccounts`, {});
  answers.set(`GET kms/v1/projects/${project}/locations/${googleRegion}/keyRings`, {});
  answers.set("GET storage/v1/b", {});
  let count = 0;
  return {
    provider: createProvider("gcp", { endpoints }),
    region: googleRegion,
    credentials: { gcp: { projectId: project, serviceAccountKey } },
    secret: privateKeyLine,
    async createNetwork(owner, range) {
      const name = `net-${(count += 1)}`;
      const id = `projects/${project}/global/networks/${name}`;
      const description = `Managed by Cloudwright (cloudwright:entity=${owner} cloudwright:part=this/network)`;
      resources.set(id, { description });
      const network = `https://www.googleapis.com/compute/v1/${id}`;
      const subnet = `projects/${project}/regions/${googleRegion}/subnetworks/${name}`;
      resources.set(subnet, { description, network, ipCidrRange: range });
      return id;
    },
    async createClusterVolume(cluster) {
      const id = `projects/${project}/zones/${googleRegion}-b/disks/pvc-${(count += 1)}`;
      resources.set(id, { labels: { "goog-k8s-cluster-name": cluster }, labelFingerprint: "f" });
      return id;
    },
    async close() {
      await server.close();
    },
  };
}

const openssl = requireTool("openssl");
describe.skipIf(!openssl.found)(`against a fake Azure${openssl.found ? "" : `: ${openssl.reason}`}`, () => {
  describeCloudProvider("azure", new Set(capabilities), openAzure);
});

async function openAzure(): Promise<ContractFixture> {
  const fake = await startFakeAzure(openssl.found ? openssl.path : "");
  const group = `/subscriptions/${fakeSubscription}/resourceGroups/main/providers`;
  let count = 0;
  return {
    provider: createProvider("azure", { endpoints: fake.endpoints }),
    region: fakeRegion,
    credentials: { azure: { tenantId: fakeTenant, clientId: fakeClient, clientSecret: fakeSecret } },
    secret: fakeSecret,
    createNetwork: async (owner, range) =>
      fake.put({
        id: `${group}/Microsoft.Network/virtualNetworks/n${(count += 1)}`,
        type: "Microsoft.Network/virtualNetworks",
        location: fakeRegion,
        tags: { "cloudwright:entity": owner },
        properties: { addressSpace: { addressPrefixes: [range] } },
      }),
    createClusterVolume: async (cluster) =>
      fake.put({
        id: `${group}/Microsoft.Compute/disks/pvc-${(count += 1)}`,
        type: "Microsoft.Compute/disks",
        location: fakeRegion,
        tags: { "k8s-azure-cluster-name": cluster },
      }),
    close: () => fake.close(),
  };
}

async function openAws(): Promise<ContractFixture> {
  const region = "eu-west-1";
  const server = await startMotoServer(moto.found ? moto.path : "");
  const endpoints = { AWS_ENDPOINT_URL: server.address };
  const secret = "wJalrXUtnFEMI/K7MDENG+bPx";
  const keys = { accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: secret };
  const first = { by: "keys", ...keys, secretAccessKey: new Secret(secret) } as const;
  const options = { endpoints, region, sessionName: "t" };
  const api = createAwsApi(createCredentialSource({ clock: systemClock, openAccess: async () => ({ first }) }, options), options);
  return {
    provider: createProvider("aws", { endpoints }),
    region,
    credentials: { aws: keys },
    secret,
    createNetwork: (owner, range) =>
      api.call("create a VPC", async (clients) => {
        const Tags = [{ Key: "cloudwright:entity", Value: owner }];
        const TagSpecifications = [{ ResourceType: "vpc" as const, Tags }];
        const { Vpc } = await (await clients.ec2()).send(new CreateVpcCommand({ CidrBlock: range, TagSpecifications }));
        return Vpc?.VpcId ?? "";
      }),
    createClusterVolume: (cluster) =>
      api.call("create a volume", async (clients) => {
        const Tags = [{ Key: `kubernetes.io/cluster/${cluster}`, Value: "owned" }];
        const TagSpecifications = [{ ResourceType: "volume" as const, Tags }];
        const volume = { AvailabilityZone: `${region}a`, Size: 1, TagSpecifications };
        return (await (await clients.ec2()).send(new CreateVolumeCommand(volume))).VolumeId ?? "";
      }),
    async close() {
      api.close();
      await server.close();
    },
  };
}
