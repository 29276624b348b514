import { expect, test } from "vitest";
import { checkOverrides } from "./check-overrides.ts";

const on = (cloud: string, overrides: Parameters<typeof checkOverrides>[1]): string[] =>
  checkOverrides({ kind: "Network", cloud }, overrides).map(({ path }) => path);

test("M076 overrides may change a configuration's own resources, and nothing that runs programs or belongs to another provider", () => {
  const vpc = { resource: { aws_vpc: { main: { enable_dns_support: true } } } };
  expect(on("aws", vpc)).toEqual([]);
  expect(on("gcp", vpc)).toEqual(["resource.aws_vpc.main"]);
  expect(on("local", vpc)).toEqual(["resource.aws_vpc.main"]);
  const program = { resource: { aws_vpc: { main: { provisioner: { "local-exec": { command: "id" } } } } } };
  expect(on("aws", program)).toHaveLength(1);
  expect(on("aws", { module: { evil: { source: "git::https://example.com/evil" } } })).toEqual(["module"]);
});

test("M076 M136 overrides cannot set the attributes that record ownership, wherever the cloud stores it", () => {
  const network = (change: Parameters<typeof checkOverrides>[1]) => ({ resource: { google_compute_network: { this: change } } });
  expect(on("gcp", network({ mtu: 1500 }))).toEqual([]);
  for (const change of [{ description: "cloudwright:entity=other" }, { labels: {} }, { resource_labels: {} }])
    expect(on("gcp", network(change))).toHaveLength(1);
  expect(on("gcp", { locals: { owned: "Managed by Cloudwright (cloudwright:entity=other cloudwright:part=" } })).toHaveLength(1);
  expect(on("aws", { resource: { aws_security_group: { endpoints: { description: "mine" } } } })).toEqual([]);
});

test("X062 overrides cannot move a resource to another project, subscription or region", () => {
  const refused: [string, Parameters<typeof checkOverrides>[1]][] = [
    ["gcp", { resource: { google_compute_network: { this: { project: "other-tenant" } } } }],
    ["gcp", { data: { google_project: { this: { project_id: "other-tenant" } } } }],
    ["gcp", { locals: { project: "other-tenant" } }],
    ["gcp", { resource: { google_compute_subnetwork: { this: { region: "us-east1" } } } }],
    ["aws", { resource: { aws_vpc: { this: { region: "us-east-1" } } } }],
    ["azure", { resource: { azurerm_virtual_network: { this: { subscription_id: "other" } } } }],
  ];
  for (const [cloud, overrides] of refused) expect(on(cloud, overrides)).toHaveLength(1);
});

test("X062 overrides cannot change ownership through locals or the tags inside a block, on any cloud", () => {
  for (const cloud of ["aws", "azure", "gcp"]) {
    for (const name of ["owned", "owned_key", "uid", "tags", "labels"]) {
      expect(on(cloud, { locals: { [name]: { "cloudwright:entity": "other" } } })).toEqual([`locals.${name}`]);
    }
  }
  const template = { tag_specifications: [{ resource_type: "instance", tags: {} }] };
  expect(on("aws", { resource: { aws_launch_template: { nodes: template } } })).toHaveLength(1);
  const dynamic = { dynamic: { tag_specifications: { for_each: [], content: {} } } };
  expect(on("aws", { resource: { aws_launch_template: { nodes: dynamic } } })).toHaveLength(1);
  expect(
    on("gcp", { resource: { google_container_node_pool: { pool: { node_config: { resource_labels: {} } } } } }),
  ).toHaveLength(1);
});

test("X062 overrides cannot pass a role or service account, which would bypass the account's list", () => {
  const role = "arn:aws:iam::123456789012:role/admin";
  const refused: [string, Parameters<typeof checkOverrides>[1], string][] = [
    [
      "aws",
      { resource: { aws_eks_node_group: { this: { node_role_arn: role } } } },
      "resource.aws_eks_node_group.this.node_role_arn",
    ],
    ["aws", { resource: { aws_iam_role_policy: { nodes: { role: "admin" } } } }, "resource.aws_iam_role_policy.nodes.role"],
    ["aws", { locals: { node_roles: { a: role } } }, "locals.node_roles"],
    [
      "aws",
      { resource: { aws_launch_template: { nodes: { iam_instance_profile: [{ name: "admin" }] } } } },
      "resource.aws_launch_template.nodes.iam_instance_profile",
    ],
    [
      "gcp",
      { resource: { google_container_node_pool: { pool: { node_config: [{ service_account: "a@b" }] } } } },
      "resource.google_container_node_pool.pool.node_config[0].service_account",
    ],
    [
      "gcp",
      { resource: { google_project_iam_member: { nodes: { role: "roles/owner" } } } },
      "resource.google_project_iam_member.nodes.role",
    ],
    [
      "azure",
      { resource: { azurerm_kubernetes_cluster: { this: { identity: { identity_ids: ["x"] } } } } },
      "resource.azurerm_kubernetes_cluster.this.identity.identity_ids",
    ],
  ];
  for (const [cloud, overrides, path] of refused) expect(on(cloud, overrides)).toEqual([path]);
});

test("M076 overrides may set other arguments, counts, lifecycle rules and the user's own map keys", () => {
  const fine: [string, Parameters<typeof checkOverrides>[1]][] = [
    ["aws", { resource: { aws_vpc: { this: { enable_dns_hostnames: false, lifecycle: { ignore_changes: ["tags"] } } } } }],
    ["aws", { resource: { aws_flow_log: { this: { count: 0 } } } }],
    ["aws", { resource: { aws_eks_node_group: { this: { update_config: { max_unavailable: 2 } } } } }],
    ["gcp", { resource: { google_container_node_pool: { pool: { node_config: { labels: { role: "db", project: "x" } } } } } }],
    ["gcp", { resource: { google_container_cluster: { this: { provider: "google-beta" } } } }],
    ["azure", { resource: { azurerm_virtual_network: { this: { flow_timeout_in_minutes: 10 } } } }],
  ];
  for (const [cloud, overrides] of fine) expect(on(cloud, overrides)).toEqual([]);
});
