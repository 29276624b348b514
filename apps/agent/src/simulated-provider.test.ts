import { describeCloudProvider } from "@cloudwright/clouds/testing";
import { cloudNames, getCloud, type CloudName } from "@cloudwright/contract/clouds";
import { createMemoryFaults, createMemoryInventory, listSimulatedApis } from "@cloudwright/simulator";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Secret } from "@cloudwright/platform";
import { expect, test } from "vitest";
import { createSimulatedProvider } from "./simulated-provider.ts";

const hasApi = (cloud: CloudName): boolean => listSimulatedApis().some((api) => api.cloud === cloud);

const always = ["identity", "owned-resources", "cluster-access", "terraform"] as const;

const withAccount = [...always, "view", "objects", "leftovers", "clusters"] as const;

type Attributes = Record<string, string | string[] | Record<string, string>>;
type Create = (type: string, attributes: Attributes) => Promise<string>;

/** Creates sample records for one cloud: a network, and a volume that a cluster created. */
interface Sample {
  readonly region: string;
  createNetwork(create: Create, owner: string, range: string): Promise<string>;
  createClusterVolume(create: Create, cluster: string): Promise<string>;
}

const samples: Readonly<Partial<Record<CloudName, Sample>>> & { readonly aws: Sample } = {
  aws: {
    region: "eu-west-1",
    createNetwork: (create, owner, range) => create("aws_vpc", { cidr_block: range, tags: { "cloudwright:entity": owner } }),
    createClusterVolume: (create, cluster) =>
      create("aws_ebs_volume", { tags: { [`kubernetes.io/cluster/${cluster}`]: "owned" } }),
  },
  gcp: {
    region: "europe-west1",
    async createNetwork(create, owner, range) {
      const description = `Managed by Cloudwright (cloudwright:entity=${owner} cloudwright:part=this/network)`;
      const network = await create("google_compute_network", { description });
      await create("google_compute_subnetwork", { network, ip_cidr_range: range, description });
      return network;
    },
    createClusterVolume: (create, cluster) => create("google_compute_disk", { labels: { "goog-k8s-cluster-name": cluster } }),
  },
  azure: {
    region: "westeurope",
    createNetwork: (create, owner, range) =>
      create("azurerm_virtual_network", {
        location: "westeurope",
        address_space: [range],
        tags: { "cloudwright:entity": owner },
      }),
    createClusterVolume: (create, cluster) =>
      create("azurerm_managed_disk", { location: "westeurope", tags: { "k8s-azure-cluster-name": cluster } }),
  },
};

for (const cloud of cloudNames) {
  const sample = samples[cloud];
  describeCloudProvider(
    `${cloud}, simulated`,
    new Set([
      ...(sample === undefined ? always : withAccount),
      ...(getCloud(cloud).provisioners.includes("direct") ? (["direct"] as const) : []),
      ...(hasApi(cloud) ? (["library"] as const) : []),
    ]),
    async () => {
      const folder = mkdtempSync(join(tmpdir(), "simulated-provider-"));
      const inventory = createMemoryInventory();
      const tenant = "0199-account-of-the-suite";
      const store = { inventory, faults: createMemoryFaults(), close: () => undefined };
      const { region, createNetwork, createClusterVolume } = sample ?? samples.aws;
      let count = 0;
      const create: Create = async (type, attributes) => {
        const id = `${type}-${(count += 1)}`;
        await inventory.put(tenant, { type, id, attributes: { region, ...attributes } });
        return id;
      };
      return {
        provider: createSimulatedProvider({ cloud, tenant, openStore: async () => store, folder }),
        region,
        credentials: {},
        createNetwork: (owner, range) => createNetwork(create, owner, range),
        createClusterVolume: (cluster) => createClusterVolume(create, cluster),
        close: async () => rmSync(folder, { recursive: true }),
      };
    },
  );
}

test("X080 a simulated cloud reports who last changed a resource, unless it was the platform", async () => {
  const at = "2026-01-01T00:00:00.000Z";
  const trails: Record<string, { actor: string; action: "create" | "update" | "delete"; at: string }[]> = {
    "vpc-1": [
      { actor: "alice", action: "update", at },
      { actor: "cloudwright-0199", action: "create", at },
    ],
    "vpc-2": [
      { actor: "cloudwright-0199", action: "update", at },
      { actor: "alice", action: "update", at },
    ],
  };
  const asked: string[] = [];
  const trail = {
    list: async (tenant: string, { id }: { id: string }) => {
      asked.push(tenant);
      return trails[id] ?? [];
    },
  };
  const store = { inventory: createMemoryInventory(), faults: createMemoryFaults(), trail, close: () => undefined };
  const provider = createSimulatedProvider({
    cloud: "gcp",
    tenant: "mine",
    openStore: async () => store,
    folder: "",
    hasTrail: true,
  });
  expect(provider.capabilities.has("audit-trail")).toBe(true);
  const request = { account: "a", spec: {}, region: "r", session: "s", openCredentials: async () => new Secret({}) };
  const account = provider.openAccount(request);
  const resources = ["vpc-1", "vpc-2", "vpc-3"].map((id) => ({ type: "thing", id }));
  expect(await account.findAuthors(resources)).toEqual([
    { type: "thing", id: "vpc-1", author: "alice", action: "update", at: new Date(at) },
  ]);
  expect(new Set(asked)).toEqual(new Set(["mine"]));
  await account.close();
});

test("X063 closing an account whose records could not be opened does not throw, which would end the agent for all projects", async () => {
  const openStore = async () => Promise.reject(new Error("the control plane rejected the request for the state"));
  const provider = createSimulatedProvider({ cloud: "aws", tenant: "mine", openStore, folder: "" });
  const account = provider.openAccount({
    account: "mine",
    spec: {},
    region: "eu-west-1",
    session: "s",
    openCredentials: async () => new Secret({}),
  });
  await expect(account.listOwned("someone")).rejects.toThrow("rejected the request");
  expect(await account.close()).toBeUndefined();
});

test("M072 M155 a direct run on a simulated account uses its own API host on loopback, which ends with the run and serves no other tenant", async () => {
  const [inventory, tenant] = [createMemoryInventory(), "mine"];
  const store = { inventory, faults: createMemoryFaults(), close: () => undefined };
  const provider = createSimulatedProvider({ cloud: "aws", tenant, openStore: async () => store, folder: "" });
  const account = provider.openAccount({
    account: tenant,
    spec: {},
    region: "eu-west-1",
    session: "s",
    openCredentials: async () => new Secret({}),
  });
  const entityUid = "0199aaaa-0000-7000-8000-0123456789ab";
  const taken: string[] = [];
  const budget = {
    async take({ action }: { readonly action: string }) {
      taken.push(action);
      return () => undefined;
    },
  };
  const direct = await account.openDirect({ entityUid, budget });
  const role = direct.parts.get("aws_iam_role");
  const { signal } = new AbortController();
  const trust = JSON.stringify({ Version: "2012-10-17", Statement: [] });
  const attributes = { name: "dev-456789ab-nodes", assume_role_policy: trust, managed_policy_arns: [] };
  await role?.create(attributes, { entityUid, name: "nodes", token: "t" }, signal);
  expect(await role?.findOwner("dev-456789ab-nodes", signal)).toBe(entityUid);
  expect((await inventory.list(tenant)).map(({ type }) => type)).toContain("aws_iam_role");
  expect(taken).toContain("CreateRole");
  await direct.close();
  await expect(role?.read("dev-456789ab-nodes", signal)).rejects.toBeInstanceOf(Error);
  await account.close();
});

test("M072 a direct run on a simulated account builds in the project that the account names", async () => {
  const store = { inventory: createMemoryInventory(), faults: createMemoryFaults(), close: () => undefined };
  const provider = createSimulatedProvider({ cloud: "gcp", tenant: "mine", openStore: async () => store, folder: "" });
  const account = provider.openAccount({
    account: "mine",
    spec: { gcp: { projectId: "my-project-1" } },
    region: "europe-west1",
    session: "s",
    openCredentials: async () => new Secret({}),
  });
  const entityUid = "0199aaaa-0000-7000-8000-0123456789ab";
  const direct = await account.openDirect({ entityUid });
  const { signal } = new AbortController();
  const attributes = {
    name: "web",
    zone: "europe-west1-b",
    machine_type: "e2-small",
    boot_disk: [{ image: "ubuntu-24.04", size: 20 }],
    network_interface: [{ has_public_address: false }],
  };
  const made = await direct.parts
    .get("google_compute_instance")
    ?.create(attributes, { entityUid, name: "this", token: "t" }, signal);
  expect(made?.id).toBe("projects/my-project-1/zones/europe-west1-b/instances/web");
  await direct.close();
  await account.close();
});
