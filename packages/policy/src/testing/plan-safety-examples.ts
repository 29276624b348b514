import type { PolicyChange, PolicyObject, PolicyValue, Subject } from "../subject.ts";
import { planSubject } from "./examples.ts";

/** Examples for one rule: subjects that it allows and subjects that it denies. */
export interface Examples {
  readonly allowed: readonly Subject[];
  readonly denied: readonly Subject[];
  /** Subjects for which the rule cannot be evaluated, which counts as a denial. */
  readonly unclear?: readonly Subject[];
}

const gone = (type: string, action: PolicyChange["action"], allow: readonly string[] = []) =>
  planSubject([{ type, action }], allow);
const guard = { ingress: [{ rule_no: 1 }], egress: [{ rule_no: 2 }], subnet_ids: ["subnet-1"] };
const [data, traffic] = [
  ["aws_eks_cluster", "aws_s3_bucket", "aws_ebs_volume", "aws_db_instance", "google_container_cluster", "google_storage_bucket"],
  [
    "aws_vpc",
    "aws_subnet",
    "aws_nat_gateway",
    "aws_network_acl",
    "aws_route",
    "aws_lb",
    "google_compute_network",
    "google_compute_router_nat",
  ],
];
data.push("google_compute_disk", "google_sql_database_instance", "azurerm_kubernetes_cluster", "azurerm_storage_account");
data.push("azurerm_managed_disk", "azurerm_mssql_database", "azurerm_resource_group");
traffic.push("google_compute_forwarding_rule", "azurerm_virtual_network", "azurerm_nat_gateway", "azurerm_lb");
traffic.push("aws_route_table_association", "aws_vpc_endpoint", "aws_vpc_ipv4_cidr_block_association");
traffic.push("google_compute_firewall", "google_compute_route", "google_compute_router", "google_compute_address");
traffic.push("azurerm_network_security_group", "azurerm_network_security_rule", "azurerm_route", "azurerm_route_table");
traffic.push("azurerm_nat_gateway_public_ip_association", "azurerm_subnet_nat_gateway_association");
traffic.push("azurerm_subnet_network_security_group_association", "azurerm_subnet_route_table_association");
traffic.push("azurerm_private_dns_zone", "azurerm_private_dns_zone_virtual_network_link", "azurerm_public_ip");
data.push("google_kms_crypto_key", "azurerm_key_vault", "azurerm_key_vault_key", "azurerm_storage_container");
const identities = ["google_service_account", "google_kms_crypto_key_iam_member", "azurerm_user_assigned_identity"];
const permissions = [
  "aws_eks_access_entry",
  "aws_eks_access_policy_association",
  "aws_eks_pod_identity_association",
  "aws_iam_openid_connect_provider",
  "aws_iam_role",
  "aws_iam_role_policy",
  "aws_iam_role_policy_attachment",
  "aws_sqs_queue_policy",
  "google_project_iam_member",
  "google_service_account_iam_member",
  "google_storage_bucket_iam_member",
  "azurerm_federated_identity_credential",
  "azurerm_role_assignment",
];

/** Returns a plan of a security group. */
const ofGroup = (type: string, action: PolicyChange["action"]): Subject => {
  const plan = gone(type, action);
  return { ...plan, entity: { ...plan.entity, kind: "SecurityGroup" } };
};

/** Returns a plan that updates one attribute in place. All other attributes stay the same. */
const changed = (type: string, name: string, [before, after]: readonly [PolicyValue, PolicyValue], upgradedFrom = "v1.0.0") =>
  planSubject(
    [{ type, action: "update", before: { id: "x", [name]: before }, after: { id: "x", [name]: after } }],
    [],
    upgradedFrom,
  );

/** Attributes that determine who can connect, each with its values before and after an upgrade. */
const accessChanges: readonly (readonly [type: string, name: string, values: readonly [PolicyValue, PolicyValue]])[] = [
  ["aws_eks_cluster", "vpc_config", [[{ public_access_cidrs: ["0.0.0.0/0"] }], [{ public_access_cidrs: ["192.0.2.1/32"] }]]],
  ["aws_eks_cluster", "access_config", [[{ authentication_mode: "API_AND_CONFIG_MAP" }], [{ authentication_mode: "API" }]]],
  ["google_compute_firewall", "source_ranges", [["10.0.0.0/8"], ["10.0.0.0/16"]]],
  ["google_compute_firewall", "deny", [[], [{ protocol: "all" }]]],
  ["google_compute_firewall", "disabled", [false, true]],
  ["google_container_cluster", "master_authorized_networks_config", [[], [{ cidr_blocks: [{ cidr_block: "192.0.2.1/32" }] }]]],
  ["google_container_cluster", "private_cluster_config", [[], [{ enable_private_endpoint: true }]]],
  ["google_container_cluster", "control_plane_endpoints_config", [[{}], [{ ip_endpoints_config: [{ enabled: false }] }]]],
  ["google_storage_bucket", "public_access_prevention", ["inherited", "enforced"]],
  ["azurerm_kubernetes_cluster", "api_server_access_profile", [[], [{ authorized_ip_ranges: ["192.0.2.1/32"] }]]],
  ["azurerm_kubernetes_cluster", "local_account_disabled", [false, true]],
  ["azurerm_kubernetes_cluster", "private_cluster_enabled", [false, true]],
  ["azurerm_kubernetes_cluster", "azure_active_directory_role_based_access_control", [[], [{}]]],
  ["azurerm_network_security_rule", "access", ["Allow", "Deny"]],
  ["azurerm_network_security_rule", "destination_port_range", ["*", "443"]],
  ["azurerm_network_security_group", "security_rule", [[], [{ access: "Deny" }]]],
  ["azurerm_storage_account", "shared_access_key_enabled", [true, false]],
  ["azurerm_storage_account", "network_rules", [[], [{ default_action: "Deny" }]]],
  ["azurerm_key_vault", "network_acls", [[], [{ default_action: "Deny" }]]],
];

const retiringTag = "cloudwright:retiring";
const retired = (type: string, action: PolicyChange["action"], value: string) =>
  planSubject([{ type, action, before: { tags: { [retiringTag]: value } } }]);
/** Returns a plan that changes the tags of a NAT gateway. */
const retiring = (before: PolicyObject, after: PolicyObject, allow: readonly string[] = []) =>
  planSubject([{ type: "aws_nat_gateway", action: "update", before: { tags: before }, after: { tags: after } }], allow);

/** Changes that interrupt open connections. Values that are known only after the apply are omitted. */
const interruptions: readonly (readonly [type: string, before: PolicyObject, after: PolicyObject])[] = [
  // One NAT gateway per zone replaces a single one, or vice versa.
  ["aws_route", { nat_gateway_id: "nat-1", state: "active" }, {}],
  ["aws_route", { nat_gateway_id: "nat-1" }, { nat_gateway_id: "nat-2" }],
  ["aws_route_table", { route: [{ nat_gateway_id: "nat-1" }] }, { route: [{ cidr_block: "0.0.0.0/0" }] }],
  ["google_compute_router_nat", { nat_ip_allocate_option: "AUTO_ONLY" }, { nat_ip_allocate_option: "MANUAL_ONLY" }],
  ["google_compute_router_nat", { enable_dynamic_port_allocation: false }, { enable_dynamic_port_allocation: true }],
  ["google_compute_router_nat", { nat_ips: ["a", "b"] }, { nat_ips: ["a", null] }],
  ["google_compute_router_nat", { subnetwork: [{ name: "a" }] }, { subnetwork: [] }],
  ["google_compute_subnetwork", { private_ip_google_access: true }, { private_ip_google_access: false }],
  ["azurerm_subnet", { default_outbound_access_enabled: true }, { default_outbound_access_enabled: false }],
  ["azurerm_route", { next_hop_type: "Internet" }, { next_hop_type: "VirtualAppliance" }],
];

const interruption = ([type, before, after]: (typeof interruptions)[number], allow: readonly string[] = []) =>
  planSubject([{ type, action: "update", before, after }], allow);

const keyChanges: readonly (readonly [type: string, name: string, values: readonly [PolicyValue, PolicyValue]])[] = [
  ["aws_eks_cluster", "encryption_config", [[{ provider: [{ key_arn: "a" }] }], [{ provider: [{ key_arn: "b" }] }]]],
  ["google_container_cluster", "database_encryption", [[{ state: "ENCRYPTED", key_name: "a" }], [{ state: "DECRYPTED" }]]],
  ["google_storage_bucket", "encryption", [[{ default_kms_key_name: "a" }], []]],
  ["azurerm_kubernetes_cluster", "key_management_service", [[{ key_vault_key_id: "a" }], [{ key_vault_key_id: "b" }]]],
  ["azurerm_storage_account", "customer_managed_key", [[{ key_vault_key_id: "a" }], [{ key_vault_key_id: "b" }]]],
];

function keeps(types: readonly string[]): Examples {
  return {
    allowed: types.flatMap((type) => [
      gone(type, "create"),
      gone(type, "update"),
      gone(type, "none"),
      gone(type, "read"),
      gone(type, "replace", ["replace"]),
      gone(type, "delete", ["delete", "replace"]),
      planSubject([{ type, action: "replace", unfinished: true }]),
    ]),
    denied: types.flatMap((type) => [
      gone(type, "replace"),
      gone(type, "delete"),
      gone(type, "other"),
      gone(type, "delete", ["replace"]),
      gone(type, "replace", ["delete"]),
      gone(type, "delete", ["DELETE", "all", "*"]),
    ]),
  };
}

/** Examples for the rules in `plan-safety.yaml`. */
export const planSafetyExamples: Readonly<Record<string, Examples>> = {
  "keep-data": {
    ...keeps(data),
    allowed: [...keeps(data).allowed, gone("aws_iam_role", "delete"), gone("terraform_data", "replace")],
  },
  "keep-traffic": {
    ...keeps(traffic),
    allowed: [
      ...keeps(traffic).allowed,
      retired("aws_nat_gateway", "delete", "eu-west-1b"),
      retired("aws_eip", "delete", "eu-west-1a+eu-west-1b"),
      ofGroup("google_compute_firewall", "delete"),
      ofGroup("azurerm_network_security_rule", "delete"),
    ],
    denied: [
      ...keeps(traffic).denied,
      retired("aws_nat_gateway", "replace", "eu-west-1b"),
      retired("aws_nat_gateway", "delete", ""),
      ofGroup("google_compute_firewall", "replace"),
      ofGroup("google_compute_network", "delete"),
      // The tag on the NAT gateway does not allow the deletion of an untagged route.
      planSubject([
        { type: "aws_nat_gateway", action: "delete", before: { tags: { [retiringTag]: "eu-west-1b" } } },
        { type: "aws_route", action: "delete", before: { nat_gateway_id: "nat-1" } },
      ]),
    ],
  },
  "keep-gateways": {
    allowed: [
      retiring({}, { [retiringTag]: "eu-west-1b" }, ["delete"]),
      retiring({ [retiringTag]: "eu-west-1b" }, { [retiringTag]: "eu-west-1b", team: "a" }),
      retiring({ [retiringTag]: "eu-west-1b" }, {}),
      retiring({}, { team: "a" }),
      gone("aws_nat_gateway", "create"),
    ],
    denied: [
      retiring({}, { [retiringTag]: "eu-west-1b" }),
      retiring({ team: "a" }, { team: "a", [retiringTag]: "eu-west-1b" }, ["replace"]),
      // An earlier, interrupted run set the tag, and this plan moves the traffic to yet another zone.
      retiring({ [retiringTag]: "eu-west-1b" }, { [retiringTag]: "eu-west-1c" }),
    ],
  },
  "keep-access": {
    allowed: [
      planSubject([{ type: "aws_network_acl" }, { type: "aws_default_security_group" }]),
      planSubject([{ type: "aws_network_acl", action: "update", before: { ingress: [] }, after: { ingress: [{}] } }]),
      planSubject([{ type: "aws_route" }, { type: "aws_network_acl", action: "none" }], [], "v0.1.0"),
      planSubject([{ type: "aws_network_acl", action: "update", before: guard, after: { ...guard, tags: {} } }], [], "v1.0.0"),
      // Changes that the user requested, and updates that leave the attribute unchanged.
      ...accessChanges.map(([type, name, values]) => changed(type, name, values, "")),
      ...accessChanges.map(([type, name, [before]]) => changed(type, name, [before, before])),
      planSubject([{ type: "google_compute_firewall" }, { type: "azurerm_network_security_rule" }]),
      planSubject([{ type: "google_container_cluster" }, { type: "azurerm_route_table" }], [], "v1.0.0"),
    ],
    denied: [
      ...["aws_network_acl", "aws_default_security_group", "aws_default_network_acl"].map((type) =>
        planSubject([{ type }], ["replace", "delete"], "v0.1.0"),
      ),
      ...["google_compute_firewall", "azurerm_network_security_rule", "azurerm_subnet_network_security_group_association"].map(
        (type) => planSubject([{ type }], ["replace", "delete"], "v1.0.0"),
      ),
      ...accessChanges.map(([type, name, values]) => changed(type, name, values)),
      ...["ingress", "egress", "subnet_ids"].map((name) =>
        planSubject(
          [{ type: "aws_network_acl", action: "update", before: guard, after: { ...guard, [name]: [] } }],
          [],
          "v1.0.0",
        ),
      ),
    ],
  },
  "tell-interruptions": {
    allowed: [
      ...interruptions.map((each) => interruption(each, ["replace"])),
      ...interruptions.map(([type, before]) => interruption([type, before, before])),
      // A first route, an additional address and a change to another attribute do not interrupt anything.
      interruption(["aws_route_table", { route: [] }, { route: [{ nat_gateway_id: "nat-1" }] }]),
      interruption(["google_compute_router_nat", { nat_ips: ["a"] }, { nat_ips: ["a", null] }]),
      interruption(["azurerm_subnet", { service_endpoint: [] }, { service_endpoint: [{ service: "Microsoft.Storage" }] }]),
      // The NAT gateway no longer exists or its creation failed, so there are no connections to interrupt.
      interruption(["aws_route", { nat_gateway_id: "nat-1", state: "blackhole" }, {}]),
      planSubject([
        { type: "aws_nat_gateway", action: "replace", unfinished: true },
        { type: "aws_route", action: "update", before: { nat_gateway_id: "nat-1" }, after: {} },
      ]),
      planSubject([{ type: "aws_route" }, { type: "azurerm_route" }, { type: "google_compute_router_nat" }]),
    ],
    denied: [...interruptions.map((each) => interruption(each)), ...interruptions.map((each) => interruption(each, ["delete"]))],
  },
  "keep-permissions": {
    allowed: [
      ...keeps(identities).allowed,
      ...permissions.map((type) => gone(type, "delete")),
      ...permissions.map((type) => planSubject([{ type, action: "delete" }], ["delete"], "v1.0.0")),
      ...permissions.map((type) => planSubject([{ type, action: "replace", unfinished: true }], [], "v1.0.0")),
      ...permissions.map((type) => planSubject([{ type, action: "update" }], [], "v1.0.0")),
    ],
    denied: [
      ...keeps(identities).denied,
      ...permissions.flatMap((type) => [
        planSubject([{ type, action: "delete" }], [], "v1.0.0"),
        planSubject([{ type, action: "replace" }], ["delete"], "v1.0.0"),
      ]),
    ],
  },
  "keep-keys": {
    allowed: [
      ...keyChanges.map(([type, name, [before]]) => changed(type, name, [before, before], "")),
      ...keyChanges.map(([type, name, [before]]) => changed(type, name, [[], before], "")),
      planSubject([{ type: "google_storage_bucket", action: "update", before: { encryption: [{}] }, after: {} }], ["replace"]),
    ],
    denied: keyChanges.flatMap(([type, name, values]) => [changed(type, name, values, ""), changed(type, name, values)]),
  },
  "tell-forgotten": { allowed: [gone("aws_vpc", "create")], denied: [gone("aws_vpc", "forget")] },
};
