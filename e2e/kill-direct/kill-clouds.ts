import type { CloudName } from "@cloudwright/contract/clouds";
import { objectOf, textOf } from "@cloudwright/platform";
import { tagsOf, type ApiHost, type CloudRecord, type Inventory } from "@cloudwright/simulator";
import { createSelfSigned } from "@cloudwright/simulator/testing";
import { startCountingProxy, type CountingProxy } from "./counting-proxy.ts";
import type { DirectRun } from "./direct-run.ts";

type Spec = NonNullable<DirectRun["task"]["spec"]>;
type Options = Readonly<Record<string, unknown>>;

/** Everything in the kill matrix that differs between clouds. */
export interface KillCloud {
  readonly cloud: CloudName;
  readonly region: string;
  /** Creates a network and returns its outputs. `options` are the options of the client library. */
  putNetwork(inventory: Inventory, tenant: string, options: Options): Promise<Spec>;
  /** Starts a proxy for the cloud's API. Returns the proxy, and client library options that point to it. */
  startProxy(host: ApiHost, options: Options): Promise<{ readonly proxy: CountingProxy; readonly options: Options }>;
  readonly cluster: Spec;
  /** Describes how `changedCluster` differs from `cluster`, for test titles. */
  readonly change: string;
  readonly changedCluster: Spec;
  readonly machine: Spec;
  /** Another machine type for the instance. */
  readonly otherType: string;
  readonly references?: DirectRun["task"]["references"];
  /** Outputs of the cluster's last apply, if its upgrade depends on them. */
  renderOutputs?(uid: string): Spec;
}

const common = {
  provisioner: "direct",
  version: "1.34",
  workers: 1,
  endpoint: { public: true, publicCidrs: ["192.0.2.0/24"] },
};
const upgraded = { version: "1.35", workers: 2 };
const machine = { provisioner: "direct", image: "ubuntu-24.04" };
const entry = { principalArn: "arn:aws:iam::123456789012:role/ops", policy: "view" };

const aws: KillCloud = {
  cloud: "aws",
  region: "eu-west-1",
  async putNetwork(inventory, tenant) {
    const ids = ["subnet-a", "subnet-b"];
    for (const id of ids) {
      const zone = { availability_zone: `eu-west-1${id.slice(-1)}`, cidr_block: "10.0.0.0/24" };
      await inventory.put(tenant, { type: "aws_subnet", id, attributes: { id, region: "eu-west-1", vpc_id: "vpc-1", ...zone } });
    }
    return { private_subnet_ids: ids };
  },
  async startProxy(host, options) {
    const proxy = await startCountingProxy(host.address);
    return { proxy, options: { ...options, endpoints: { all: proxy.address } } };
  },
  cluster: { ...common, aws: { deletionProtection: false, accessEntries: [entry] } },
  change: "a changed access entry",
  changedCluster: {
    ...common,
    ...upgraded,
    aws: { deletionProtection: false, accessEntries: [{ ...entry, groups: ["ops"] }] },
  },
  machine: { ...machine, machineType: "t3.micro", rootDisk: { sizeGib: 20 } },
  otherType: "t3.small",
};

const azure: KillCloud = {
  cloud: "azure",
  region: "westeurope",
  async putNetwork(inventory, tenant, { subscriptionId }) {
    const group = `/subscriptions/${textOf(subscriptionId)}/resourceGroups/net`;
    const network = `${group}/providers/Microsoft.Network/virtualNetworks/net`;
    const subnet = `${network}/subnets/nodes`;
    const put = (type: string, id: string, attributes: Record<string, string | string[]>): Promise<void> =>
      inventory.put(tenant, { type, id, attributes: { id, resource_group_name: "net", ...attributes } });
    await put("azurerm_resource_group", group, { name: "net", location: "westeurope" });
    await put("azurerm_virtual_network", network, { name: "net", location: "westeurope", address_space: ["10.0.0.0/16"] });
    await put("azurerm_subnet", subnet, { name: "nodes", virtual_network_name: "net", address_prefixes: ["10.0.0.0/20"] });
    return { cidr: "10.0.0.0/16", private_subnet_ids: [subnet], zones: ["westeurope-1"] };
  },
  // Azure's SDK sends no token over plain HTTP.
  async startProxy(host, options) {
    const { keyPem, certificatePem } = createSelfSigned(Date.now());
    const proxy = await startCountingProxy(host.secureAddress, { keyPem, certificatePem, targetCaPem: host.caPem });
    const endpoints = { resourceManager: proxy.address, authority: proxy.address };
    return { proxy, options: { ...options, endpoints, caPem: certificatePem } };
  },
  cluster: common,
  change: "another tier",
  changedCluster: { ...common, ...upgraded, azure: { tier: "premium" } },
  machine: { ...machine, machineType: "Standard_B1s", rootDisk: { sizeGib: 30 }, publicAddress: true, sshKeys: ["ops"] },
  otherType: "Standard_B2s",
  references: [
    { field: "sshKeys", kind: "SshKey", name: "ops", spec: { publicKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ ops" } },
  ],
};

const [network, subnet] = ["global/networks/main", "regions/europe-west1/subnetworks/main"].map(
  (path) => `projects/simulated/${path}`,
) as [string, string];

const gcp: KillCloud = {
  cloud: "gcp",
  region: "europe-west1",
  async putNetwork(inventory, tenant) {
    const own = { project: "simulated", name: "main" };
    await inventory.put(tenant, { type: "google_compute_network", id: network, attributes: { ...own, id: network } });
    const secondary = [
      { range_name: "pods", ip_cidr_range: "10.4.0.0/14" },
      { range_name: "services", ip_cidr_range: "10.8.0.0/20" },
    ];
    const ranges = { ip_cidr_range: "10.0.0.0/20", secondary_ip_range: secondary };
    const attributes = { ...own, ...ranges, id: subnet, region: "europe-west1", network };
    await inventory.put(tenant, { type: "google_compute_subnetwork", id: subnet, attributes });
    return { network_id: network, private_subnet_ids: [subnet], zones: ["europe-west1-b", "europe-west1-c"] };
  },
  async startProxy(host, { endpoints, ...options }) {
    const proxy = await startCountingProxy(host.address);
    const redirected = { compute: `${proxy.address}/compute/v1/`, container: `${proxy.address}/v1/` };
    return { proxy, options: { ...options, endpoints: { ...objectOf(endpoints), ...redirected } } };
  },
  cluster: common,
  change: "a changed range of its endpoint",
  changedCluster: { ...common, ...upgraded, endpoint: { public: true, publicCidrs: ["198.51.100.0/24"] } },
  renderOutputs: (uid) => ({ cluster_name: `dev-${uid.replaceAll("-", "").slice(-8)}`, version: "1.34" }),
  machine: { ...machine, machineType: "e2-small", rootDisk: { sizeGib: 20 } },
  otherType: "e2-medium",
};

/** The clouds in the kill matrix. To support another cloud, add an entry. */
export const killClouds: readonly KillCloud[] = [aws, gcp, azure];

/** Returns the entity that owns a record. A record without tags may name its owner in its description. */
export function ownerOf(record: CloudRecord): string | undefined {
  const described = /^cloudwright:entity=(\S+) /.exec(textOf(record.attributes["description"]))?.[1];
  return textOf(tagsOf(record)["cloudwright:entity"]) || described;
}

/** Returns the Kubernetes version of a cluster or pool. Returns an empty string for all other records. */
export function versionOf({ attributes }: CloudRecord): string {
  const { version, kubernetes_version: cluster, master_version: master, orchestrator_version: pool } = attributes;
  const { default_node_pool: pools } = attributes;
  const first = objectOf(Array.isArray(pools) ? pools[0] : undefined)["orchestrator_version"];
  return [version, cluster, master, pool, first].map(textOf).filter(Boolean).join(" ");
}
