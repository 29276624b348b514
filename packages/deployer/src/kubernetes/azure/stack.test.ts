import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ownConfigurations } from "../../executor/terraform/configurations.ts";
import type { DeployedAccount, JsonObject, Surroundings } from "../../task.ts";
import { createTestEntity, createTestSurroundings, type TestTaskOptions } from "../../testing/test-task.ts";
import { azureKubernetes } from "./stack.ts";

const account: DeployedAccount = { uid: "a", name: "sim", cloud: "azure", simulated: true, spec: {} };
const entity = (spec: JsonObject) => createTestEntity("Cluster", { name: "dev", labels: { team: "a" }, spec });
const subnet = (name: string): string =>
  `/subscriptions/s/resourceGroups/net/providers/Microsoft.Network/virtualNetworks/net/subnets/${name}`;
const built = {
  cidr: "10.0.0.0/16",
  zones: ["westeurope-1", "westeurope-2"],
  private_subnet_ids: [subnet("nodes")],
  intra_subnet_ids: [],
  public_subnet_ids: [],
  nat_public_ips: ["203.0.113.9"],
  outbound_type: "userAssignedNATGateway",
};
const inNetwork = (
  outputs: JsonObject = built,
  nodePools: TestTaskOptions["nodePools"] = [],
  own: JsonObject = {},
  observed: JsonObject = { address: "192.0.2.7" },
): Surroundings => ({
  ...createTestSurroundings({
    parents: [{ kind: "Network", uid: "n", name: "net", spec: { region: "westeurope", azure: {} }, outputs }],
    nodePools,
    outputs: own,
  }),
  observed,
});
const newest = "v1.1.0";
const render = (spec: JsonObject, around = inNetwork(), version = newest): JsonObject =>
  azureKubernetes.variables(entity(spec), account, around, version);
const pool = (name: string, spec: JsonObject) => ({ uid: name, name, spec });
const code = (text: string) => expect.objectContaining({ code: text });

test("M136 M120 M124 a default cluster has two nodes in all zones, and only the agent can reach its API server", () => {
  expect(render({ version: "1.34" })).toMatchObject({
    cluster_name: "dev",
    region: "westeurope",
    cluster_version: "1.34",
    node_subnet_id: subnet("nodes"),
    pod_subnet_id: null,
    api_server_subnet_id: null,
    outbound_type: "userAssignedNATGateway",
    nat_public_ips: ["203.0.113.9"],
    public_access: true,
    public_access_cidrs: ["192.0.2.7/32"],
    pod_cidr: "192.168.0.0/16",
    service_cidr: "10.96.0.0/12",
    kept_defaults: { since: newest, public_access_cidrs: ["192.0.2.7/32"], autoscalers: false },
    node_pools: { default: { instance_type: "Standard_D2s_v5", min: 2, desired: 2, max: 2, zones: ["1", "2"] } },
    owner: { project: "default", entity: "uid-1" },
    tags: { team: "a" },
  });
});

test.each(["v1.0.0", newest])(
  "M136 everything rendered for %s is one of its variables, and every variable without a default is rendered",
  (version) => {
    const text = readFileSync(join(ownConfigurations, "kubernetes/azure", version, "variables.tf"), "utf8");
    const declared = text.split(/^variable /m).slice(1);
    const names = declared.map((block) => /^"(\w+)"/.exec(block)?.[1]);
    const required = declared.filter((block) => !/^ {2}default/m.test(block)).map((block) => /^"(\w+)"/.exec(block)?.[1]);
    const rendered = Object.keys(render({}, inNetwork(), version));
    expect(names).toEqual(expect.arrayContaining(rendered));
    expect(rendered).toEqual(expect.arrayContaining(required));
  },
);

test("M136 the ranges of pods and services do not overlap the network and never change", () => {
  const inRange = (cidr: string, own: JsonObject = {}) => render({}, inNetwork({ ...built, cidr }, [], own));
  expect(inRange("192.168.0.0/16")).toMatchObject({ pod_cidr: "10.244.0.0/16", service_cidr: "10.96.0.0/12" });
  expect(inRange("10.100.0.0/16")).toMatchObject({ pod_cidr: "192.168.0.0/16", service_cidr: "172.16.0.0/16" });
  const kept = { cluster_name: "dev-1", pod_cidr: "172.31.0.0/16", service_cidr: "172.30.0.0/16" };
  expect(inRange("10.0.0.0/16", kept)).toMatchObject({ pod_cidr: "172.31.0.0/16", service_cidr: "172.30.0.0/16" });
});

test("M136 M121 existing clusters keep their ranges and zones when the agent moves and the network gains a zone", () => {
  const own = {
    cluster_name: "dev-1",
    node_group_names: ["default", "web"],
    choices: { since: newest, public_access_cidrs: ["198.51.100.4/32"], zones: { default: ["1"], web: ["2"] } },
  };
  const around = inNetwork(
    built,
    [pool("web", { min: 1, desired: 1, max: 1 }), pool("new", { min: 1, desired: 1, max: 1 })],
    own,
  );
  expect(render({}, around)).toMatchObject({
    public_access_cidrs: ["198.51.100.4/32"],
    node_pools: { default: { zones: ["1"] }, web: { zones: ["2"] }, new: { zones: ["1", "2"] } },
  });
});

test("M136 a cluster that ever had a workload autoscaler keeps the autoscaler block, because AKS returns it from then on", () => {
  const keeps = (choices: JsonObject) => render({}, inNetwork(built, [], { cluster_name: "dev-1", choices }))["kept_defaults"];
  expect(keeps({ since: newest, autoscalers: true })).toMatchObject({ autoscalers: true });
  expect(keeps({ since: newest })).toMatchObject({ autoscalers: false });
});

test("M160 M033 an autoscaled pool gets its desired size only when it is created", () => {
  const scaled = pool("web", { min: 1, desired: 2, max: 5, autoscaling: true });
  expect(render({}, inNetwork(built, [scaled]))).toMatchObject({ node_pools: { web: { desired: 2, autoscaling: true } } });
  const own = { cluster_name: "dev-1", node_group_names: ["default", "web"] };
  expect(render({}, inNetwork(built, [scaled], own))).toMatchObject({ node_pools: { web: { desired: null, min: 1, max: 5 } } });
});

test("M161 M168 a cluster that AKS upgrades automatically is not downgraded, and can still be upgraded on request", () => {
  const own = { cluster_name: "dev-1", version: "1.34" };
  const version = (spec: JsonObject) => render(spec, inNetwork(built, [], own))["cluster_version"];
  expect(version({ version: "1.33", azure: { upgradeChannel: "stable" } })).toBeNull();
  expect(version({ version: "1.35", azure: { upgradeChannel: "stable" } })).toBe("1.35");
  expect(version({ version: "1.34", azure: { upgradeChannel: "patch" } })).toBe("1.34");
});

test.each([
  ["clusters without workers", { workers: 0 }, []],
  ["control-plane nodes", { controlPlaneNodes: 3 }, []],
  ["IPv6 ranges", { endpoint: { public: true, publicCidrs: ["2001:db8::/32"] } }, []],
  ["reserved ranges", { networking: { serviceCidr: "172.16.0.0/12" } }, []],
  ["pods in a missing subnet", { azure: { podNetwork: "subnet" } }, []],
  ["add-on versions", { addOns: [{ name: "keda", version: "2.0.0" }] }, []],
  ["a second default pool", {}, [pool("default", {})]],
  ["several machine types", {}, [pool("a", { instanceTypes: ["Standard_D2s_v5", "Standard_D4s_v5"] })]],
  ["reserved labels", {}, [pool("a", { nodeLabels: { "kubernetes.azure.com/mode": "x" } })]],
  ["spot system pools", {}, [pool("a", { desired: 1, max: 1, capacity: "spot", azure: { system: true } })]],
  ["empty system pools", {}, [pool("a", { azure: { system: true } })]],
  ["zones of another region", {}, [pool("a", { zones: ["eastus-1"] })]],
  ["small disks", {}, [pool("a", { diskSizeGib: 8 })]],
])("M136 AKS does not support %s, and the fault says so", (_what, spec: JsonObject, pools: TestTaskOptions["nodePools"]) => {
  expect(() => render(spec, inNetwork(built, pools))).toThrow(code("deployer.bad_spec"));
});

test("X033 sizes of autoscaled pools, node images, credentials and versions under an upgrade channel are not drift", () => {
  const around = inNetwork(built, [pool("web", { autoscaling: true }), pool("fixed", {})], { upgraded_by_cloud: true });
  const isOwned = (type: string, key: string, ...path: (string | number)[]) =>
    azureKubernetes.isChangedByOthers?.({ resourceType: type, address: `${type}.pool["${key}"]` }, path, around);
  const [cluster, pools] = ["azurerm_kubernetes_cluster", "azurerm_kubernetes_cluster_node_pool"];
  expect(isOwned(pools, "web", "node_count")).toBe(true);
  expect(isOwned(pools, "fixed", "node_count")).toBe(false);
  expect(isOwned(pools, "fixed", "node_image_version")).toBe(true);
  expect(isOwned(cluster, "this", "kube_config", 0, "client_key")).toBe(true);
  expect(isOwned(cluster, "this", "default_node_pool", 0, "orchestrator_version")).toBe(true);
  expect(isOwned(cluster, "this", "sku_tier")).toBe(false);
  const calm = { ...around, outputs: { upgraded_by_cloud: false } };
  const address = "azurerm_kubernetes_cluster.this";
  expect(azureKubernetes.isChangedByOthers?.({ resourceType: cluster, address }, ["kubernetes_version"], calm)).toBe(false);
});

test("M049 a role assignment from an interrupted run is found by its description", () => {
  const find = (...names: string[]) =>
    azureKubernetes.findUntagged({ type: "azurerm_role_assignment", names }, new Map(), () => true, entity({}));
  expect(find("x", "cloudwright:entity=uid-1 cloudwright:part=cluster/api-server")).toBe(
    'azurerm_role_assignment.cluster["api-server"]',
  );
  const registry = "/subscriptions/s/resourceGroups/g/providers/Microsoft.ContainerRegistry/registries/r";
  expect(find(`cloudwright:entity=uid-1 cloudwright:part=registry/${registry}`)).toBe(
    `azurerm_role_assignment.registry["${registry}"]`,
  );
  expect(find("cloudwright:entity=uid-2 cloudwright:part=cluster/nodes")).toBeUndefined();
});

test("M134 M069 service accounts get managed identities since v1.1.0, and their credentials are found by their names", () => {
  const identityId = `/subscriptions/${"0".repeat(36)}/resourceGroups/g/providers/Microsoft.ManagedIdentity/userAssignedIdentities/app`;
  const spec = { azure: { workloadIdentities: [{ namespace: "apps", serviceAccount: "web", identityId }] } };
  expect(render(spec)).toMatchObject({ workload_identities: { "apps/web": identityId } });
  expect(() => render(spec, inNetwork(), "v1.0.0")).toThrow(code("deployer.not_supported"));
  const find = (name: string) =>
    azureKubernetes.findUntagged(
      { type: "azurerm_federated_identity_credential", names: [identityId, name] },
      new Map(),
      () => true,
      entity(spec),
    );
  expect(find("cloudwright-uid-1-HASH".replace("HASH", createHash("sha1").update("apps/web").digest("hex").slice(0, 12)))).toBe(
    'azurerm_federated_identity_credential.this["apps/web"]',
  );
  expect(find("cloudwright-uid-2-x")).toBeUndefined();
});

test("M154 a cluster is built in the resource group that the account is limited to, and stays where it was built", () => {
  const limited: DeployedAccount = { ...account, spec: { azure: { resourceGroup: "team" } } };
  const groupOf = (own: JsonObject, spec: JsonObject = {}) =>
    azureKubernetes.variables(entity(spec), limited, inNetwork(built, [], own), newest)["resource_group_name"];
  expect(groupOf({})).toBe("team");
  expect(groupOf({}, { azure: { resourceGroup: "mine" } })).toBe("mine");
  expect(groupOf({ cluster_name: "dev-1", resource_group_name: "old" })).toBe("old");
  expect(groupOf({ cluster_name: "dev-1", resource_group_name: "dev-1" })).toBeNull();
  expect(render({})["resource_group_name"]).toBeNull();
});
