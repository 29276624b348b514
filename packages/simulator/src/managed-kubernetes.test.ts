import { containsRange, parseRange, renderAddress, Secret, type Ipv4Range } from "@cloudwright/platform";
import { CoreV1Api, KubeConfig } from "@kubernetes/client-node";
import { expect, test } from "vitest";
import { createMemoryInventory } from "./inventory/memory-inventory.ts";
import { findFreeAddress } from "./kubernetes/cluster/service-range.ts";
import { startKubernetesHost } from "./kubernetes/host/start-host.ts";
import { createMemoryObjects } from "./kubernetes/objects/memory-objects.ts";
import { createClusterCloud, getContents, listClusters } from "./managed-kubernetes.ts";

test("M130 a cluster without a known cloud has the contents of the default cloud", () => {
  expect(getContents(undefined)).toBe(getContents("aws"));
  expect(getContents("local")).toBe(getContents("aws"));
});

test("M130 the cloud resources of a cluster are recorded in the cloud of its account", async () => {
  const inventory = createMemoryInventory();
  const cloud = createClusterCloud({ inventory }, async () => ({ tenant: "a", name: "dev", cloud: "aws" }));
  await cloud.createVolume("id", { uid: "u", namespace: "n", name: "data", sizeGiB: 1, zone: "eu-west-1a", parameters: {} });
  expect((await inventory.list("a")).map(({ type }) => type)).toEqual(["aws_ebs_volume"]);
  expect(await listClusters(inventory, "a")).toEqual([]);
});

test.each([
  ["aws", "10.100.0.0/16", { kubernetes_network_config: [{ service_ipv4_cidr: "172.20.0.0/16" }] }, "172.20.0.0/16"],
  ["gcp", "34.118.224.0/20", { services_ipv4_cidr: "10.0.64.0/20" }, "10.0.64.0/20"],
  ["azure", "10.0.0.0/16", { network_profile: [{ service_cidr: "10.96.0.0/12" }] }, "10.96.0.0/12"],
])(
  "M130 Services of a cluster in %s get addresses from the cluster's own range, or from the default range if the cluster has none",
  async (cloud, usual, attributes, own) => {
    const types = { aws: "aws_eks_cluster", gcp: "google_container_cluster", azure: "azurerm_kubernetes_cluster" };
    const inventory = createMemoryInventory();
    await inventory.put("a", { type: types[cloud as keyof typeof types], id: "dev", attributes: { name: "dev", ...attributes } });
    const hooks = createClusterCloud({ inventory }, async (id) => ({ tenant: "a", name: id, cloud }));
    const host = await startKubernetesHost({
      listen: { host: "127.0.0.1", port: 0 },
      store: createMemoryObjects(),
      secret: new Secret("installation"),
      timeScale: 0,
      hooks,
    });
    try {
      for (const [id, range] of [
        ["dev", own],
        ["unknown", usual],
      ] as const) {
        await host.createCluster(id, { version: "v1.34.1", cloud });
        const config = new KubeConfig();
        config.loadFromString(await host.getKubeconfig(id, "admin"));
        const core = config.makeApiClient(CoreV1Api);
        const body = { metadata: { name: "web" }, spec: { ports: [{ port: 80 }] } };
        const made = await core.createNamespacedService({ namespace: "default", body });
        const { items } = await core.listServiceForAllNamespaces();
        const addresses = Object.fromEntries(items.map(({ metadata, spec }) => [metadata?.name, spec?.clusterIP ?? ""]));
        const first = parseRange(range) as Ipv4Range;
        expect(addresses).toEqual({
          kubernetes: renderAddress(first, 1),
          "kube-dns": renderAddress(first, 10),
          web: made.spec?.clusterIP,
        });
        expect(containsRange(first, parseRange(`${addresses["web"] ?? ""}/32`) as Ipv4Range)).toBe(true);
      }
    } finally {
      await host.close();
    }
  },
);

test("M130 Services use the whole address range, its lower part last, until the range is full", () => {
  const range = parseRange("10.0.0.0/27") as Ipv4Range;
  const used = new Set([renderAddress(range, 1), renderAddress(range, 10)]);
  const given: string[] = [];
  for (let address = findFreeAddress(range, used); address !== undefined; address = findFreeAddress(range, used)) {
    used.add(address);
    given.push(address);
  }
  expect(given.slice(0, 2)).toEqual(["10.0.0.16", "10.0.0.17"]);
  expect(given.at(-1)).toBe("10.0.0.15");
  expect(used.size).toBe(30);
});
