import { defaultCloud } from "../clouds/index.ts";
import type { JsonObject } from "../entities.ts";

/** A small, valid entity of each kind, as a caller would send it. */
export const entityExamples: Readonly<Record<string, JsonObject>> = {
  Project: { metadata: { name: "shop" }, spec: { displayName: "The shop" } },
  User: { metadata: { name: "ada" }, spec: { displayName: "Ada", email: "ada@example.com" } },
  Backend: {
    metadata: { name: "states" },
    spec: { type: "pg", settings: { host: "db.example.org", database: "states", user: "terraform" }, projects: ["shop"] },
  },
  ApiKey: { metadata: { name: "ada-laptop" }, spec: { user: "ada", description: "Ada's laptop" } },
  RoleBinding: { metadata: { name: "ada-edits" }, spec: { user: "ada", role: "editor" } },
  Environment: { metadata: { name: "staging" }, spec: { description: "For testing releases" } },
  Account: { metadata: { name: "sandbox" }, spec: { simulated: true, [defaultCloud]: {} } },
  Network: { metadata: { name: "main" }, spec: { account: "sandbox", region: "eu-west-1", cidr: "10.0.0.0/16" } },
  Cluster: { metadata: { name: "dev-cluster" }, spec: { network: "main", version: "1.34", workers: 2 } },
  NodePool: { metadata: { name: "spot" }, spec: { instanceType: "m6i.large", min: 0, desired: 2, max: 5, capacity: "spot" } },
  Storage: { metadata: { name: "backups" }, spec: { cluster: "dev-cluster", bucket: { versioning: true } } },
  SshKey: { metadata: { name: "ops" }, spec: {} },
  Instance: {
    metadata: { name: "web" },
    spec: { network: "main", machineType: "t3.micro", image: "ubuntu-24.04", sshKeys: ["ops"] },
  },
  SecurityGroup: {
    metadata: { name: "web" },
    spec: { network: "lan", rules: [{ protocol: "tcp", fromPort: 443, cidr: "0.0.0.0/0" }] },
  },
  Inventory: {
    metadata: { name: "rack-machines" },
    spec: { account: "rack", sshKey: "ops", hosts: [{ name: "node-1", address: "192.168.10.21", labels: { disk: "ssd" } }] },
  },
  Volume: { metadata: { name: "data" }, spec: { account: "rack", sizeGib: 20 } },
  VolumeSnapshot: { metadata: { name: "s1" }, spec: { account: "rack", volume: "data" } },
  Agent: { metadata: { name: "office" }, spec: { description: "In the server room" } },
};

/** Entities that the examples of security groups, volumes, snapshots and inventories refer to. Only machines of the user's own have all these kinds. */
export const localExamples: readonly (readonly [kind: string, entity: JsonObject])[] = [
  ["Account", { metadata: { name: "rack" }, spec: { local: { agentLabel: "rack-1" } } }],
  ["Network", { metadata: { name: "lan" }, spec: { account: "rack", cidr: "192.168.10.0/24" } }],
];

/** A patch that is valid for every kind. */
export const patchExample: JsonObject = { metadata: { labels: { tier: "prod" } } };

/** Examples of request messages that are sent as the whole HTTP body. */
export const requestExamples: Readonly<Record<string, JsonObject>> = {
  CreateTokenRequest: { audience: "cloudwright", ttlSeconds: 60 },
  JoinAgentRequest: {
    joinToken: "cwj_…",
    name: "office",
    publicKey: '{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}',
    version: "1.0.0",
  },
};
