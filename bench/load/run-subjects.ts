import { join } from "node:path";

/** A benchmark network of about 50 resources, built both by the platform and by Terraform alone. */
export interface RunSubject {
  /** Id of the benchmark. */
  readonly id: string;
  /** Name of the simulated account. */
  readonly account: string;
  readonly accountSpec: object;
  /** Raised quotas, keyed by name. A network may exceed the defaults, and the baseline never deletes the networks that it creates. */
  readonly quotas: Readonly<Record<string, number>>;
  /** Folder of the Terraform configuration that both the platform and the baseline use. */
  readonly configuration: string;
  /** Description of the network for the report. */
  readonly what: string;
  /** Spec of the network, without its account. */
  readonly spec: object;
  /** Returns the Terraform variables that the platform renders for a network with this spec. */
  variablesOf(name: string): object;
}

const infra = join(import.meta.dirname, "..", "..", "infra", "network");
const owner = (entity: string): object => ({ project: "default", entity });

/** A small configuration is enough, because only the platform's overhead is measured. */
export const awsVersion = "v0.1.0";
export const awsConfiguration = join(infra, "aws", awsVersion);
/** This region has six zones. */
export const awsRegion = "us-east-1";
export const awsZones: readonly string[] = ["a", "b", "c", "d", "e", "f"];

/** Renders the same subnet variables as the deployer. */
export function renderAwsVariables(name: string, letters: readonly string[]): object {
  const cut = letters.map((letter, nth) => {
    const range = (role: number): string => `10.0.${(role * 8 + nth) * 8}.0/21`;
    return [`${awsRegion}${letter}`, { public: range(0), private: range(1), intra: range(2) }] as const;
  });
  const zones = Object.fromEntries(cut);
  return { name, region: awsRegion, cidr: "10.0.0.0/16", zones, nat: "none", owner: owner(name), tags: {} };
}

const project = "bench-project";
const laterVersion = "v1.1.0";
const gcpAddresses = { nat: 20, loadBalancer: 20 };
const azureAddresses = { nat: 10, loadBalancer: 10 };
const securityRules = Array.from({ length: 10 }, (_, nth) => ({
  name: `rule-${nth}`,
  priority: 200 + nth,
  direction: "in",
  action: "allow",
  protocol: "tcp",
  port: 8000 + nth,
  cidr: "10.0.0.0/8",
}));

/** One network per cloud. In Google Cloud and Azure, reserved IP addresses and security rules bring the count to about 50 resources. */
export const runSubjects: readonly RunSubject[] = [
  {
    id: "P1",
    account: "sim",
    accountSpec: { simulated: true, aws: {} },
    quotas: { "vpcs-per-region": 1000, "internet-gateways-per-region": 1000 },
    configuration: awsConfiguration,
    what: `a network with ${awsZones.length} zones on simulated AWS`,
    spec: { region: awsRegion, zones: awsZones, infra: { version: awsVersion } },
    variablesOf: (name) => renderAwsVariables(name, awsZones),
  },
  {
    id: "P1-gcp",
    account: "sim-gcp",
    accountSpec: { simulated: true, gcp: { projectId: project } },
    quotas: { "networks-per-project": 1000, "routers-per-project": 1000, "static-addresses-per-region": 10_000 },
    configuration: join(infra, "gcp", laterVersion),
    what: `a network with Cloud NAT and ${gcpAddresses.nat + gcpAddresses.loadBalancer} reserved addresses on simulated Google Cloud`,
    spec: {
      region: "europe-west1",
      nat: "single",
      gcp: { natIps: gcpAddresses.nat, loadBalancerIps: gcpAddresses.loadBalancer },
      infra: { version: laterVersion },
    },
    variablesOf: (name) => ({
      name,
      project,
      region: "europe-west1",
      cidr_range: "10.0.0.0/16",
      nat: "regional",
      nat_ips: gcpAddresses.nat,
      load_balancer_ips: gcpAddresses.loadBalancer,
      owner: owner(name),
      labels: {},
    }),
  },
  {
    id: "P1-azure",
    account: "sim-azure",
    accountSpec: { simulated: true, azure: { subscriptionId: "00000000-0000-0000-0000-000000000001" } },
    quotas: {},
    configuration: join(infra, "azure", laterVersion),
    what: `a network with a NAT gateway, ${azureAddresses.nat + azureAddresses.loadBalancer} reserved addresses and ${securityRules.length} security rules on simulated Azure`,
    spec: {
      region: "westeurope",
      nat: "single",
      azure: {
        natIps: azureAddresses.nat,
        loadBalancerIps: azureAddresses.loadBalancer,
        privateDns: true,
        securityRules: securityRules.map(({ port, ...rule }) => ({ ...rule, fromPort: port, toPort: port })),
      },
      infra: { version: laterVersion },
    },
    variablesOf: (name) => ({
      name,
      region: "westeurope",
      zones: ["1", "2", "3"],
      cidr_range: "10.0.0.0/16",
      nat: "single",
      nat_ips: azureAddresses.nat,
      load_balancer_ips: azureAddresses.loadBalancer,
      private_dns: true,
      security_rules: securityRules.map(({ port, ...rule }) => ({ ...rule, from_port: port, to_port: port })),
      owner: owner(name),
      tags: {},
    }),
  },
];
