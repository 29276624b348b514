import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { decide } from "./decide.ts";
import type { Finding } from "./decision.ts";
import { loadRules } from "./load-rules.ts";
import type { Rule } from "./rule.ts";
import type { PlacedEntity, PolicyChange, Subject } from "./subject.ts";
import { entitySubject, planSubject } from "./testing/examples.ts";
import { planSafetyExamples, type Examples } from "./testing/plan-safety-examples.ts";

// Tests every built-in rule with subjects that it accepts and subjects that it rejects.
const root = join(import.meta.dirname, "../../..");
const files = globSync("policies/**/*.yaml", { cwd: root }).toSorted();
const book = loadRules(files.map((name) => ({ name, text: readFileSync(join(root, name), "utf8") })));

const cluster = (spec: PlacedEntity["spec"], rest: Partial<PlacedEntity> = {}) => entitySubject({ spec, ...rest });
const made = (type: string, after: PolicyChange["after"], action: PolicyChange["action"] = "create") =>
  planSubject([{ type, action, after }]);
const gone = (type: string, action: PolicyChange["action"], allow: readonly string[] = []) =>
  planSubject([{ type, action }], allow);
const outside = { metadata: { name: "main", environment: "staging" } };
const closed = { block_public_acls: true, block_public_policy: true, ignore_public_acls: true, restrict_public_buckets: true };
const block = "aws_s3_bucket_public_access_block";
const ingress = "aws_vpc_security_group_ingress_rule";
const securityRule = "azurerm_network_security_rule";
const open = {
  direction: "Inbound",
  access: "Allow",
  protocol: "Tcp",
  source_address_prefix: "*",
  destination_port_range: "22",
};
const outboundBy = (type: string) => ({ network_profile: [{ outbound_type: type }] });
const examples: Readonly<Record<string, Examples>> = {
  ...planSafetyExamples,
  "production-is-protected": {
    allowed: [
      cluster({}, { metadata: { name: "main", environment: "prod-eu", deletionProtection: true } }),
      cluster({}, outside),
      cluster({}, { kind: "Network" }),
    ],
    denied: [cluster({}), cluster({}, { metadata: { name: "main", environment: "production", deletionProtection: false } })],
  },
  "production-endpoint-is-narrow": {
    allowed: [
      cluster({}),
      cluster({ endpoint: { public: false } }),
      cluster({ endpoint: { public: true, publicCidrs: ["203.0.113.0/24", "2001:db8::/32"] } }),
      cluster({ endpoint: { public: true } }, outside),
    ],
    denied: [
      cluster({ endpoint: { public: true } }),
      cluster({ endpoint: { public: true, publicCidrs: [] } }),
      cluster({ endpoint: { public: true, publicCidrs: ["203.0.113.0/24", "0.0.0.0/0"] } }),
      cluster({ endpoint: { public: true, publicCidrs: ["::/0"] } }),
    ],
    unclear: [cluster({ endpoint: { public: true, publicCidrs: ["rubbish"] } })],
  },
  "supported-kubernetes": {
    allowed: [cluster({}), cluster({ version: "1.34" }), cluster({ version: "v1.40.2" })],
    denied: [cluster({ version: "1.33.9" }), cluster({ version: "v1.9" })],
    unclear: [cluster({ version: 1.4 }), cluster({ version: "latest" })],
  },
  "ranges-are-apart": {
    allowed: [cluster({}), cluster({}, { parents: [] }), cluster({ networking: { podCidr: "10.1.0.0/16" } })],
    denied: [
      cluster({ networking: { podCidr: "10.0.128.0/17" } }),
      cluster({ networking: { serviceCidr: "10.0.0.0/8" } }),
      cluster({}, { parents: [{ kind: "Network", metadata: {}, spec: { cidr: "192.168.1.0/24" } }] }),
    ],
  },
  "production-buckets-keep-objects": {
    allowed: [
      cluster({ bucket: {} }, { kind: "Storage" }),
      cluster({ volume: { sizeGib: 1 } }, { kind: "Storage" }),
      cluster({ bucket: { forceDestroy: true } }, { kind: "Storage", ...outside }),
    ],
    denied: [cluster({ bucket: { forceDestroy: true } }, { kind: "Storage" })],
  },
  "production-spot-capacity": {
    allowed: [
      cluster({ capacity: "on-demand" }, { kind: "NodePool" }),
      cluster({ capacity: "spot" }, { kind: "NodePool", ...outside }),
    ],
    denied: [cluster({ capacity: "spot" }, { kind: "NodePool" })],
  },
  "aws-buckets-block-public-access": {
    allowed: [made(block, closed), made(block, closed, "update")],
    denied: [
      ...Object.keys(closed).flatMap((name) => [
        made(block, { ...closed, [name]: false }),
        made(block, { ...closed, [name]: null }, "update"),
      ]),
      made(block, {}),
      made(block, null, "other"),
    ],
  },
  "aws-buckets-keep-their-block": {
    allowed: [
      planSubject([
        { type: block, action: "delete", before: { bucket: "a" } },
        { type: "aws_s3_bucket", action: "delete", before: { bucket: "a" } },
      ]),
    ],
    denied: [
      planSubject([{ type: block, action: "delete", before: { bucket: "a" } }]),
      planSubject([{ type: block, action: "forget", before: null }]),
      planSubject([
        { type: block, action: "delete", before: { bucket: "a" } },
        { type: "aws_s3_bucket", action: "delete", before: { bucket: "b" } },
      ]),
    ],
  },
  "aws-buckets-have-no-public-acl": {
    allowed: [
      made("aws_s3_bucket_acl", { acl: "private" }),
      made("aws_s3_bucket", {}),
      made("aws_s3_bucket_acl", null, "delete"),
    ],
    denied: [made("aws_s3_bucket_acl", { acl: "public-read" }), made("aws_s3_bucket", { acl: "public-read-write" }, "update")],
  },
  "google-buckets-are-not-public": {
    allowed: [
      made("google_storage_bucket_iam_member", { member: "user:a@example.com" }),
      made("google_storage_bucket_iam_binding", { members: ["group:b@example.com"] }),
      made("google_storage_bucket_acl", { predefined_acl: "private", role_entity: ["OWNER:user-a@example.com"] }),
      made("google_storage_bucket", { name: "allUsers" }),
    ],
    denied: [
      made("google_storage_bucket_iam_member", { member: "allUsers" }),
      made("google_storage_bucket_iam_binding", { members: ["group:b@example.com", "allAuthenticatedUsers"] }, "update"),
      made("google_storage_bucket_iam_policy", { policy_data: '{"bindings":[{"members":["allUsers"]}]}' }),
      made("google_storage_bucket_acl", { predefined_acl: "publicRead" }),
      made("google_storage_bucket_acl", { role_entity: ["READER:allUsers"] }),
      made("google_storage_default_object_access_control", { entity: "allUsers" }),
    ],
  },
  "azure-storage-is-not-public": {
    allowed: [
      made("azurerm_storage_account", { allow_nested_items_to_be_public: false }),
      made("azurerm_storage_container", { container_access_type: "private" }),
      made("azurerm_storage_container", {}),
    ],
    denied: [
      made("azurerm_storage_account", { allow_nested_items_to_be_public: true }),
      made("azurerm_storage_account", {}, "update"),
      made("azurerm_storage_container", { container_access_type: "blob" }),
    ],
  },
  "aws-volumes-are-encrypted": {
    allowed: [made("aws_ebs_volume", { encrypted: true }), gone("aws_ebs_volume", "none")],
    denied: [made("aws_ebs_volume", { encrypted: false }), made("aws_ebs_volume", {}, "update")],
  },
  "aws-management-ports-are-closed": {
    allowed: [
      made(ingress, { cidr_ipv4: "10.0.0.0/8", from_port: 22, to_port: 22, ip_protocol: "tcp" }),
      made(ingress, { cidr_ipv4: "0.0.0.0/0", from_port: 443, to_port: 443, ip_protocol: "tcp" }),
      made(ingress, { referenced_security_group_id: "sg-1", ip_protocol: "-1" }),
    ],
    denied: [
      made(ingress, { cidr_ipv4: "0.0.0.0/0", from_port: 0, to_port: 1024, ip_protocol: "tcp" }),
      made(ingress, { cidr_ipv6: "::/0", from_port: 3389, to_port: 3389, ip_protocol: "tcp" }, "update"),
      made(ingress, { cidr_ipv4: "0.0.0.0/0", ip_protocol: "-1" }),
    ],
  },
  "aws-resources-name-their-owner": {
    allowed: [made("aws_vpc", { tags: { "cloudwright:entity": "uid" } }), made("aws_vpc", {}, "update"), made("aws_lb", {})],
    denied: [made("aws_vpc", {}), made("aws_ebs_volume", { tags: { Name: "a" } }), made("aws_s3_bucket", { tags: null })],
  },
  "google-management-ports-are-closed": {
    allowed: [
      made("google_compute_firewall", { source_ranges: ["10.0.0.0/8"], allow: [{ protocol: "all" }] }),
      made("google_compute_firewall", { source_ranges: ["0.0.0.0/0"], allow: [{ protocol: "tcp", ports: ["443"] }] }),
      made("google_compute_firewall", { source_ranges: ["0.0.0.0/0"], allow: [], deny: [{ protocol: "all" }] }),
      made("google_compute_firewall", { direction: "EGRESS", source_ranges: ["0.0.0.0/0"], allow: [{ protocol: "all" }] }),
    ],
    denied: [
      made("google_compute_firewall", { source_ranges: ["0.0.0.0/0"], allow: [{ protocol: "tcp", ports: ["80", "22"] }] }),
      made("google_compute_firewall", { source_ranges: ["10.0.0.0/8", "::/0"], allow: [{ protocol: "all" }] }, "update"),
    ],
  },
  "google-resources-name-their-owner": {
    allowed: [
      made("google_storage_bucket", { labels: { cloudwright_entity: "uid" } }),
      made("google_container_cluster", { resource_labels: { cloudwright_entity: "uid" } }),
      made("google_compute_network", {}),
    ],
    denied: [made("google_storage_bucket", {}), made("google_compute_disk", { labels: { team: "a" } })],
  },
  "azure-outbound-changes-are-reported": {
    allowed: [
      made("azurerm_kubernetes_cluster", outboundBy("userDefinedRouting")),
      planSubject([{ type: "azurerm_kubernetes_cluster", action: "update", before: outboundBy("a"), after: outboundBy("a") }]),
    ],
    denied: [
      planSubject([{ type: "azurerm_kubernetes_cluster", action: "update", before: outboundBy("a"), after: outboundBy("b") }]),
      planSubject([{ type: "azurerm_kubernetes_cluster", action: "update", before: outboundBy("a"), after: {} }], ["delete"]),
    ],
  },
  "azure-pools-keep-their-nodes": {
    allowed: [
      gone("azurerm_kubernetes_cluster_node_pool", "delete"),
      gone("azurerm_kubernetes_cluster_node_pool", "update"),
      gone("azurerm_kubernetes_cluster_node_pool", "replace", ["replace"]),
      planSubject([{ type: "azurerm_kubernetes_cluster_node_pool", action: "replace", unfinished: true }]),
      gone("google_container_node_pool", "replace"),
    ],
    denied: [
      gone("azurerm_kubernetes_cluster_node_pool", "replace"),
      gone("azurerm_kubernetes_cluster_node_pool", "replace", ["delete"]),
    ],
  },
  "azure-storage-uses-tls": {
    allowed: [made("azurerm_storage_account", {}), made("azurerm_storage_account", { min_tls_version: "TLS1_3" })],
    denied: [
      made("azurerm_storage_account", { https_traffic_only_enabled: false }),
      made("azurerm_storage_account", { min_tls_version: "TLS1_0" }, "update"),
    ],
  },
  "azure-management-ports-are-closed": {
    allowed: [
      made(securityRule, { ...open, source_address_prefix: "10.0.0.0/8" }),
      made(securityRule, { ...open, destination_port_range: "443" }),
      made(securityRule, { ...open, access: "Deny" }),
      made(securityRule, { ...open, direction: "Outbound" }),
      made(securityRule, { ...open, protocol: "Udp" }),
    ],
    denied: [
      made(securityRule, open),
      made(securityRule, { ...open, source_address_prefix: "Internet", destination_port_range: "*" }, "update"),
      made(securityRule, {
        ...open,
        source_address_prefix: null,
        source_address_prefixes: ["0.0.0.0/0"],
        destination_port_range: null,
        destination_port_ranges: ["80", "3389"],
      }),
    ],
  },
  "azure-resources-name-their-owner": {
    allowed: [made("azurerm_virtual_network", { tags: { "cloudwright:entity": "uid" } }), made("azurerm_subnet", {})],
    denied: [made("azurerm_resource_group", {}), made("azurerm_managed_disk", { tags: { team: "a" } })],
  },
};

test("M222 every built-in rule has examples, and every example has a rule", () => {
  expect(Object.keys(examples).toSorted()).toEqual(book.rules.map(({ name }) => name).toSorted());
});

for (const rule of book.rules) {
  test(`${rule.on === "plan" ? "X035" : "M220"} M222 ${rule.name}: ${rule.description}`, () => {
    const { allowed, denied, unclear = [] } = examples[rule.name] ?? { allowed: [], denied: [] };
    expect([allowed.length > 0, denied.length > 0]).toEqual([true, true]);
    for (const subject of allowed) expectFindings(rule, subject, []);
    for (const subject of denied) expectFindings(rule, subject, [{ rule: rule.name, isError: false }]);
    for (const subject of unclear) expectFindings(rule, subject, [{ rule: rule.name, isError: true }]);
  });
}

function expectFindings(rule: Rule, subject: Subject, expected: readonly Partial<Finding>[]): void {
  const { outcome, findings } = decide({ rules: [rule] }, subject);
  const told = findings.map(({ rule: name, isError }) => ({ rule: name, isError }));
  const worst = { must: "denied", should: "warned", may: "allowed" }[rule.severity];
  expect({ subject, told, outcome }).toEqual({ subject, told: expected, outcome: expected.length === 0 ? "allowed" : worst });
}

test("X035 a large plan is evaluated completely, and the decision names the resources that block an automatic apply", () => {
  const many = Array.from({ length: 5000 }, () => ({ type: "aws_iam_role", action: "delete" as const, before: { name: "x" } }));
  expect(decide(book, planSubject(many))).toEqual({ outcome: "allowed", findings: [] });
  const decision = decide(book, planSubject([...many, { type: "aws_eks_cluster", action: "replace" }]));
  expect(decision.outcome).toBe("denied");
  expect(decision.findings.map(({ rule, path }) => [rule, path])).toEqual([["keep-data", "aws_eks_cluster.x5000"]]);
});
