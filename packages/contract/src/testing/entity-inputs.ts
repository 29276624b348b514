import type { JsonObject } from "../entities.ts";
import type { EntityInput, RejectedInput } from "./entity-input.ts";
import { acceptedMachines, rejectedMachines } from "./machine-inputs.ts";

const named = { metadata: { name: "a" } };

function good(kind: string, what: string, spec: JsonObject, metadata: JsonObject = {}): EntityInput {
  return { kind, what, input: { metadata: { name: "a", ...metadata }, spec } };
}

function bad(kind: string, what: string, field: string, spec: JsonObject, metadata: JsonObject = {}): RejectedInput {
  return { ...good(kind, what, spec, metadata), field };
}

function beyond(kind: string, what: string, field: string, spec: JsonObject): RejectedInput {
  return { ...bad(kind, what, field, spec), beyondSchema: true };
}

const aclRule = { number: 10, subnets: "public", direction: "in", action: "deny", cidr: "192.0.2.0/24" };
const subnets = { public: ["10.1.0.0/24"], private: ["10.1.1.0/24", "10.1.2.0/23"], intra: ["10.1.255.240/28"] };
const application = {
  tenantId: "0198c7d2-6a5e-7cc1-8a39-0c9a5b1f2e3e",
  clientId: "0198c7d2-6a5e-7cc1-8a39-0c9a5b1f2e3f",
};
const role = "arn:aws:iam::123456789012:role/team/cloudwright";

export const acceptedInputs: readonly EntityInput[] = [
  ...acceptedMachines,
  { kind: "Project", what: "without a spec", input: named },
  good("Project", "with the longest possible name", { displayName: "The shop" }, { name: "a".repeat(63) }),
  good("Project", "with labels", {}, { labels: { "example.com/tier": "prod", a_b: "" }, annotations: { "any key": "any text" } }),
  good("User", "with an address", { displayName: "Ada", email: "ada@example.com", disabled: true }),
  good("User", "with an empty address", { email: "" }),
  good("ApiKey", "for the caller", {}),
  good("ApiKey", "that expires", { user: "ada", expiresAt: "2027-01-31T12:00:00Z", role: "viewer", project: "shop" }),
  good("RoleBinding", "in an environment", { user: "ada", role: "editor" }, { environment: "staging" }),
  good("Environment", "with a description", { description: "For testing releases" }),
  good("Account", "simulated", { simulated: true, aws: {} }),
  good("Account", "by key", { aws: { accessKeyId: "A".repeat(16), secretAccessKey: "s" } }),
  good("Account", "by role", { aws: { accountId: "123456789012", roleArn: role, externalId: "xy" } }),
  good("Account", "of Google Cloud", { gcp: { projectId: "my-project-1", serviceAccountKey: "{}" } }),
  good("Account", "of Google Cloud, by impersonation", {
    gcp: { agentCredentials: true, serviceAccount: "deployer@my-project-1.iam.gserviceaccount.com" },
  }),
  good("Account", "of Google Cloud, by federation", {
    gcp: {
      projectId: "my-project-1",
      workloadIdentityProvider: "projects/123456789012/locations/global/workloadIdentityPools/agents/providers/cloudwright",
      passableServiceAccounts: ["gke-nodes@my-project-1.iam.gserviceaccount.com", "team-*"],
    },
  }),
  good("Account", "of Azure", { azure: { subscriptionId: "0198c7d2-6a5e-7cc1-8a39-0c9a5b1f2e3d", clientSecret: "s" } }),
  good("Account", "whose secret is cleared", { azure: { clientSecret: null } }),
  good("Account", "of Azure with a certificate", { azure: { ...application, clientCertificate: "pem" } }),
  good("Account", "of Azure with a federated token", { azure: { ...application, federatedToken: true } }),
  good("Account", "of Azure with a managed identity", { azure: { managedIdentity: true } }),
  good("Account", "of self-managed machines", { local: { agentLabel: "rack-1" } }),
  good("Network", "with only its account", { account: "sandbox" }),
  good("Network", "with subnets", { account: "sandbox", region: "eu-west-1", cidr: "10.1.0.0/16", subnets, nat: "single" }),
  good("Network", "with the widest range", { account: "sandbox", cidr: "10.0.0.0/8" }),
  good("Network", "with the narrowest range", { account: "sandbox", cidr: "10.0.0.0/28" }),
  good("Network", "that exists", { account: "sandbox", existing: { id: "vpc-0abc", privateSubnetIds: ["subnet-1"] } }),
  good("Cluster", "with only its network", { network: "main" }),
  good("Cluster", "at v1.29.0", { network: "main", version: "v1.29.0" }),
  good("Cluster", "at 1.29.0", { network: "main", version: "1.29.0" }),
  good("Cluster", "at 1.29", { network: "main", version: "1.29" }),
  good("Cluster", "without workers", { network: "main", workers: 0 }),
  good("Cluster", "with 1000 workers", { network: "main", workers: 1000 }),
  good("Cluster", "without Terraform", {
    network: "main",
    provisioner: "direct",
    infra: { approval: "always", drift: "correct" },
  }),
  good("Cluster", "with an open endpoint", {
    network: "main",
    endpoint: { public: true, publicCidrs: ["192.0.2.0/24", "2001:db8::/32"] },
  }),
  good("Cluster", "with ranges", { network: "main", networking: { podCidr: "172.16.0.0/16", serviceCidr: "172.17.0.0/16" } }),
  good("Cluster", "with add-ons", {
    network: "main",
    addOns: [{ name: "metrics-server", version: "3.12", configuration: "{}" }],
  }),
  good("Cluster", "with Karpenter", {
    network: "main",
    aws: { karpenter: { enabled: true }, eksRoleArn: role, logTypes: ["api"] },
  }),
  good("Cluster", "of GKE", {
    network: "main",
    gcp: {
      releaseChannel: "none",
      zone: "b",
      dnsEndpoint: true,
      kmsKey: "projects/my-project/locations/europe-west1/keyRings/ring/cryptoKeys/key",
      nodeServiceAccount: "gke-nodes@my-project-1.iam.gserviceaccount.com",
      logTypes: ["none"],
      monitoring: ["system", "pod"],
      maintenanceWindow: { days: ["SA"], start: "23:30", durationHours: 12 },
      securityGroup: "gke-security-groups@example.org",
      workloadIdentities: [
        { namespace: "apps", serviceAccount: "web", googleServiceAccount: "website@my-project-1.iam.gserviceaccount.com" },
      ],
    },
  }),
  good("Cluster", "self-managed", { network: "main", controlPlaneNodes: 3, local: { bootstrapper: "kubeadm" } }),
  good("NodePool", "of size zero", {}),
  good("NodePool", "with GPUs in GKE", {
    gcp: { image: "ubuntu", diskType: "pd-ssd", accelerator: "nvidia-l4", acceleratorCount: 2, maxSurge: 0, maxUnavailable: 1 },
  }),
  good("NodePool", "with taints", {
    min: 1,
    desired: 2,
    max: 3,
    capacity: "spot",
    diskSizeGib: 100,
    nodeLabels: { tier: "batch" },
    taints: [{ key: "batch", effect: "NoSchedule" }],
    zones: ["a", "b"],
  }),
  good("Network", "of Google Cloud with its own ranges", {
    account: "a",
    cidr: "10.0.0.0/24",
    subnets: { private: ["10.0.0.0/26"] },
    nat: "single",
    gcp: { podCidr: "100.64.0.0/14", serviceCidr: "100.68.0.0/20", natIps: 2 },
  }),
  good("Network", "with every setting of AWS", {
    account: "sandbox",
    aws: { loadBalancerIps: 2, flowLogs: true, flowLogRetentionDays: 90, interfaceEndpoints: ["ecr.api"], aclRules: [aclRule] },
  }),
  good("Storage", "a bucket with a lifecycle and a replica", {
    cluster: "dev",
    bucket: {
      versioning: true,
      lifecycleRules: [{ id: "cold", expireAfterDays: 30 }],
      replication: { bucket: "arn:aws:s3:::b" },
    },
  }),
  good("Storage", "a bucket", { cluster: "dev", bucket: {} }),
  good("Storage", "a volume", { cluster: "dev", volume: { sizeGib: 20, type: "gp3" } }),
  good("Backend", "in a bucket", {
    type: "s3",
    settings: { bucket: "my-states", region: "eu-west-1" },
    prefix: "teams/states",
    projects: ["shop", "lab"],
    accessKeyId: "A".repeat(16),
    secretAccessKey: "s",
  }),
  good("Backend", "for every project", { type: "pg", settings: { host: "db" }, projects: ["*"], password: "p" }),
  good("Network", "with a backend by name", { account: "sandbox", infra: { backend: { name: "states" } } }),
  good("Agent", "with grants", {
    projects: ["shop"],
    identityProjects: ["*"],
    identityAccounts: ["0198c7d2-6a5e-7cc1-8a39-0c9a5b1f2e3d"],
  }),
  good("Agent", "that drains", { description: "In the server room", draining: true }),
];

export const rejectedInputs: readonly RejectedInput[] = [
  ...rejectedMachines,
  {
    kind: "Project",
    what: "with a maintenance window in an unknown time zone",
    input: {
      metadata: { name: "a" },
      spec: { maintenanceWindows: [{ start: "22:00", durationMinutes: 60, timeZone: "Mars/Olympus" }] },
    },
    field: "spec.maintenanceWindows[0].timeZone",
    beyondSchema: true,
  },
  { kind: "Project", what: "without metadata", field: "metadata", input: {} },
  { kind: "Project", what: "without a name", field: "metadata.name", input: { metadata: {} } },
  bad("Backend", "without a type", "spec.type", { settings: {} }),
  bad("Backend", "of an unknown type", "spec.type", { type: "http" }),
  bad("Backend", "with a path that leads upwards", "spec.prefix", { type: "s3", prefix: "a/../b" }),
  bad("Backend", "with a project in upper case", "spec.projects[0]", { type: "s3", projects: ["Shop"] }),
  bad("Network", "with a backend in upper case", "spec.infra.backend.name", {
    account: "sandbox",
    infra: { backend: { name: "States" } },
  }),
  bad("Agent", "with a grant to a path", "spec.identityProjects[0]", { identityProjects: ["a/b"] }),
  bad("Agent", "with a grant to an account's name", "spec.identityAccounts[0]", { identityAccounts: ["prod"] }),
  bad("Project", "with a name in upper case", "metadata.name", {}, { name: "Shop" }),
  bad("Project", "with a name that ends in a dash", "metadata.name", {}, { name: "shop-" }),
  bad("Project", "with a name that starts with a digit", "metadata.name", {}, { name: "1shop" }),
  bad("Project", "with a path in its name", "metadata.name", {}, { name: "../shop" }),
  bad("Project", "with a statement in its name", "metadata.name", {}, { name: "a'; drop table entity" }),
  bad("Project", "with a name of 64 characters", "metadata.name", {}, { name: "a".repeat(64) }),
  bad("Project", "with a bad label key", 'metadata.labels["my_key!"]', {}, { labels: { "my_key!": "x" } }),
  bad("Project", "with a bad label value", 'metadata.labels["tier"]', {}, { labels: { tier: "a b" } }),
  bad(
    "Project",
    "with 65 labels",
    "metadata.labels",
    {},
    {
      labels: Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`l${index}`, ""])),
    },
  ),
  bad("Project", "with a display name that is too long", "spec.displayName", { displayName: "x".repeat(129) }),
  bad("User", "with a malformed email address", "spec.email", { email: "ada" }),
  bad("ApiKey", "with an unknown role", "spec.role", { role: "root" }),
  bad("RoleBinding", "without a user", "spec.user", { role: "viewer" }),
  bad("RoleBinding", "without a role", "spec.role", { user: "ada" }),
  { kind: "RoleBinding", what: "without a spec", field: "spec", input: named },
  bad("Environment", "with a description that is too long", "spec.description", { description: "x".repeat(1025) }),
  { kind: "Account", what: "without a spec", field: "spec", input: named },
  beyond("Account", "without a cloud", "spec", { simulated: true }),
  beyond("Account", "that simulates machines of one's own", "spec", { simulated: true, local: {} }),
  beyond("Account", "with a secret but no key id", "spec.aws", { aws: { secretAccessKey: "s" } }),
  bad("Account", "with an account id of 11 digits", "spec.aws.accountId", { aws: { accountId: "12345678901" } }),
  bad("Account", "with an empty secret", "spec.aws.secretAccessKey", {
    aws: { accessKeyId: "A".repeat(16), secretAccessKey: "" },
  }),
  bad("Account", "with a malformed role", "spec.aws.roleArn", { aws: { roleArn: "arn:aws:iam::1:role/x" } }),
  bad("Account", "with a malformed project id", "spec.gcp.projectId", { gcp: { projectId: "UPPER" } }),
  beyond("Account", "with a Google Cloud key and the agent's credentials", "spec.gcp", {
    gcp: { serviceAccountKey: "{}", agentCredentials: true },
  }),
  bad("Account", "with a user instead of a service account", "spec.gcp.serviceAccount", {
    gcp: { agentCredentials: true, serviceAccount: "ada@example.com" },
  }),
  bad("Account", "with a malformed workload identity provider", "spec.gcp.workloadIdentityProvider", {
    gcp: { workloadIdentityProvider: "agents/cloudwright" },
  }),
  beyond("Account", "with a certificate but no application", "spec.azure", { azure: { clientCertificate: "pem" } }),
  beyond("Account", "with a federated token but no application", "spec.azure", { azure: { federatedToken: true } }),
  beyond("Account", "with two ways to authenticate to Azure", "spec.azure", {
    azure: { managedIdentity: true, clientSecret: "s" },
  }),
  bad("Account", "with a malformed subscription", "spec.azure.subscriptionId", { azure: { subscriptionId: "1234" } }),
  bad("Network", "without an account", "spec.account", {}),
  bad("Network", "with an address instead of a range", "spec.cidr", { account: "a", cidr: "10.0.0.0" }),
  bad("Network", "with a prefix length over 32", "spec.cidr", { account: "a", cidr: "10.0.0.0/33" }),
  bad("Network", "with an octet over 255", "spec.cidr", { account: "a", cidr: "10.0.256.0/24" }),
  bad("Network", "with an IPv6 range", "spec.cidr", { account: "a", cidr: "2001:db8::/32" }),
  beyond("Network", "with host bits", "spec.cidr", { account: "a", cidr: "10.0.0.1/16" }),
  beyond("Network", "with a range that is too wide", "spec.cidr", { account: "a", cidr: "0.0.0.0/7" }),
  beyond("Network", "with a range that is too narrow", "spec.cidr", { account: "a", cidr: "10.0.0.0/29" }),
  beyond("Network", "with a subnet outside its range", "spec.subnets.private[1]", {
    account: "a",
    cidr: "10.1.0.0/16",
    subnets: { private: ["10.1.0.0/24", "10.2.0.0/24"] },
  }),
  beyond("Network", "with a subnet outside the default range", "spec.subnets.intra[0]", {
    account: "a",
    subnets: { intra: ["10.1.0.0/24"] },
  }),
  beyond("Network", "with subnets that overlap", "spec.subnets.private[0]", {
    account: "a",
    subnets: { public: ["10.0.0.0/23"], private: ["10.0.1.0/24"] },
  }),
  bad("Network", "with a subnet that is not a range", "spec.subnets.public[0]", { account: "a", subnets: { public: ["x"] } }),
  bad("Network", "with a zone twice", "spec.zones", { account: "a", zones: ["x", "x"] }),
  bad("Network", "with seven zones", "spec.zones", { account: "a", zones: ["1", "2", "3", "4", "5", "6", "7"] }),
  bad("Network", "with an unknown egress", "spec.nat", { account: "a", nat: "many" }),
  bad("Network", "with a region in upper case", "spec.region", { account: "a", region: "EU-WEST-1" }),
  bad("Network", "that exists without an id", "spec.existing.id", { account: "a", existing: {} }),
  ...["cidr", "zones", "nat", "subnets"].map((field) => {
    const asked = { cidr: "10.0.0.0/16", zones: ["a"], nat: "single", subnets: { public: ["10.0.0.0/24"] } };
    const spec = { account: "a", existing: { id: "vpc-1" }, [field]: asked[field as keyof typeof asked] };
    return beyond("Network", `that exists and sets ${field}`, `spec.${field}`, spec);
  }),
  beyond("Network", "that exists and sets flow logs", "spec.aws.flowLogs", {
    account: "a",
    existing: { id: "vpc-1" },
    aws: { flowLogs: true },
  }),
  beyond("Network", "of Google Cloud with a range that is too small", "spec.cidr", {
    account: "a",
    cidr: "10.0.0.0/24",
    gcp: {},
  }),
  beyond("Network", "of Google Cloud with a public subnet", "spec.subnets.public", {
    account: "a",
    subnets: { public: ["10.0.0.0/24"] },
    gcp: {},
  }),
  beyond("Network", "of Google Cloud with pods in the range of its machines", "spec.gcp.podCidr", {
    account: "a",
    gcp: { podCidr: "10.0.0.0/20" },
  }),
  beyond("Network", "of Google Cloud with addresses for a missing NAT", "spec.gcp.natIps", { account: "a", gcp: { natIps: 1 } }),
  beyond("Network", "of Google Cloud that exists without a subnet", "spec.existing.privateSubnetIds", {
    account: "a",
    existing: { id: "main" },
    gcp: {},
  }),
  bad("Network", "with a range name that ends with a dash", "spec.gcp.podRangeName", {
    account: "a",
    gcp: { podRangeName: "pods-" },
  }),
  bad("Network", "with a small MTU", "spec.gcp.mtu", { account: "a", gcp: { mtu: 1000 } }),
  bad("Network", "with logs for two days", "spec.aws.flowLogRetentionDays", { account: "a", aws: { flowLogRetentionDays: 2 } }),
  bad("Network", "with a rule without subnets", "spec.aws.aclRules[0].subnets", {
    account: "a",
    aws: { aclRules: [{ ...aclRule, subnets: "" }] },
  }),
  beyond("Network", "with a rule whose ports are reversed", "spec.aws.aclRules[0]", {
    account: "a",
    aws: { aclRules: [{ ...aclRule, protocol: "tcp", fromPort: 2, toPort: 1 }] },
  }),
  bad("Network", "with too many addresses", "spec.aws.loadBalancerIps", { account: "a", aws: { loadBalancerIps: 21 } }),
  { kind: "Cluster", what: "without a spec", field: "spec", input: named },
  beyond("Cluster", "without a network", "spec.network", { workers: 2 }),
  bad("Cluster", "at version 2", "spec.version", { network: "m", version: "2.0" }),
  bad("Cluster", "at latest", "spec.version", { network: "m", version: "latest" }),
  bad("Cluster", "at a version with a leading zero", "spec.version", { network: "m", version: "1.029" }),
  bad("Cluster", "at a version with a suffix", "spec.version", { network: "m", version: "1.29.0-rc.1" }),
  bad("Cluster", "with a negative number of workers", "spec.workers", { network: "m", workers: -1 }),
  bad("Cluster", "with 1001 workers", "spec.workers", { network: "m", workers: 1001 }),
  bad("Cluster", "with two control-plane nodes", "spec.controlPlaneNodes", { network: "m", controlPlaneNodes: 2 }),
  bad("Cluster", "with an unknown provisioner", "spec.provisioner", { network: "m", provisioner: "pulumi" }),
  ...[{ version: "v1.0.0" }, { overrides: { locals: {} } }].map((infra) =>
    beyond("Cluster", `without Terraform but with ${Object.keys(infra)[0]}`, "spec", {
      network: "m",
      provisioner: "direct",
      infra,
    }),
  ),
  beyond("Cluster", "without Terraform and self-managed", "spec", { network: "m", provisioner: "direct", controlPlaneNodes: 3 }),
  beyond("Cluster", "with allowed ranges for a private endpoint", "spec", {
    network: "m",
    endpoint: { publicCidrs: ["192.0.2.0/24"] },
  }),
  bad("Cluster", "with an allowed range that is not a range", "spec.endpoint.publicCidrs[0]", {
    network: "m",
    endpoint: { public: true, publicCidrs: ["everyone"] },
  }),
  beyond("Cluster", "with ranges that overlap", "spec.networking", {
    network: "m",
    networking: { podCidr: "172.16.0.0/12", serviceCidr: "172.20.0.0/16" },
  }),
  beyond("Cluster", "with pods in the default service range", "spec.networking", {
    network: "m",
    networking: { podCidr: "10.100.0.0/16" },
  }),
  bad("Cluster", "with an add-on version that is a path", "spec.addOns[0].version", {
    network: "m",
    addOns: [{ name: "karpenter", version: "1.0/../../../tmp/evil" }],
  }),
  bad("Cluster", "with an add-on version that is an option", "spec.addOns[0].version", {
    network: "m",
    addOns: [{ name: "karpenter", version: "--repo" }],
  }),
  bad("Cluster", "with a nameless add-on", "spec.addOns[0].name", { network: "m", addOns: [{ version: "1" }] }),
  bad("Cluster", "with an unknown log", "spec.aws.logTypes[1]", { network: "m", aws: { logTypes: ["api", "all"] } }),
  bad("Cluster", "with an invalid role", "spec.aws.nodeRoleArn", { network: "m", aws: { nodeRoleArn: "admin" } }),
  beyond("Cluster", "of GKE Autopilot", "spec.gcp", { network: "m", gcp: { autopilot: true } }),
  beyond("Cluster", "with a key that is both given and created", "spec.gcp", {
    network: "m",
    gcp: { createKmsKey: true, kmsKey: "projects/my-project/locations/europe-west1/keyRings/ring/cryptoKeys/key" },
  }),
  beyond("Cluster", "with both no logs and system logs", "spec.gcp", { network: "m", gcp: { logTypes: ["none", "system"] } }),
  bad("Cluster", "in an unknown release channel", "spec.gcp.releaseChannel", { network: "m", gcp: { releaseChannel: "beta" } }),
  bad("Cluster", "with a key version", "spec.gcp.kmsKey", {
    network: "m",
    gcp: { kmsKey: "projects/p/locations/eu/keyRings/ring/cryptoKeys/key/cryptoKeyVersions/1" },
  }),
  bad("Cluster", "with a window of one hour", "spec.gcp.maintenanceWindow.durationHours", {
    network: "m",
    gcp: { maintenanceWindow: { start: "03:00", durationHours: 1 } },
  }),
  bad("Cluster", "with an unknown bootstrapper", "spec.local.bootstrapper", { network: "m", local: { bootstrapper: "k3s" } }),
  beyond("NodePool", "with fewer than its minimum", "spec", { min: 3, desired: 2, max: 5 }),
  beyond("NodePool", "with more than its maximum", "spec", { min: 1, desired: 6, max: 5 }),
  beyond("NodePool", "with GPUs but no GPU type", "spec.gcp", { gcp: { acceleratorCount: 1 } }),
  beyond("NodePool", "that cannot replace nodes", "spec.gcp", { gcp: { maxSurge: 0 } }),
  bad("NodePool", "with a taint of unknown effect", "spec.taints[0].effect", { taints: [{ key: "a", effect: "Never" }] }),
  bad("NodePool", "with a taint without a key", "spec.taints[0].key", { taints: [{ effect: "NoSchedule" }] }),
  bad("NodePool", "with an unknown capacity type", "spec.capacity", { capacity: "cheap" }),
  bad("NodePool", "with a disk that is too large", "spec.diskSizeGib", { diskSizeGib: 16385 }),
  bad("Storage", "without a cluster", "spec.cluster", { bucket: {} }),
  beyond("Storage", "with replication but no versioning", "spec.bucket", {
    cluster: "dev",
    bucket: { replication: { bucket: "arn:aws:s3:::b" } },
  }),
  beyond("Storage", "with a rule that does nothing", "spec.bucket.lifecycleRules[0]", {
    cluster: "dev",
    bucket: { lifecycleRules: [{ id: "cold" }] },
  }),
  beyond("Storage", "without a type", "spec", { cluster: "dev" }),
  bad("Storage", "of size zero", "spec.volume.sizeGib", { cluster: "dev", volume: {} }),
  bad("Storage", "with an expiry that is too late", "spec.bucket.expireAfterDays", {
    cluster: "dev",
    bucket: { expireAfterDays: 36501 },
  }),
  bad("Agent", "with a description that is too long", "spec.description", { description: "x".repeat(257) }),
];
