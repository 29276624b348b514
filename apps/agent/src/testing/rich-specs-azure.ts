import type { JsonObject } from "@cloudwright/deployer";
import type { RichSpec } from "./rich-spec.ts";

const region = "westeurope";
const group = "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/keys/providers";
const vault = `${group}/Microsoft.KeyVault/vaults/keys-1`;
const set = `${group}/Microsoft.Compute/diskEncryptionSets/disks`;
const networkSettings = {
  loadBalancerIps: 2,
  natIps: 2,
  podSubnet: true,
  apiServerSubnet: true,
  privateDns: true,
  serviceEndpoints: ["Microsoft.Storage"],
  securityRules: [
    {
      name: "no-smtp",
      priority: 100,
      direction: "out",
      action: "deny",
      protocol: "tcp",
      fromPort: 25,
      toPort: 25,
      cidr: "0.0.0.0/0",
    },
    { name: "office", priority: 200, direction: "in", action: "allow", cidr: "192.0.2.0/24" },
  ],
  routes: [
    { name: "office", cidr: "172.16.0.0/16", nextHop: "appliance", nextHopIp: "10.0.0.4" },
    { name: "nowhere", cidr: "192.0.2.0/24", nextHop: "none" },
  ],
};
const bucket = {
  versioning: true,
  encryptionKey: `${vault}/keys/storage`,
  expireAfterDays: 365,
  lifecycleRules: [{ id: "cold", prefix: "old/", transitions: [{ afterDays: 30, storageClass: "Cool" }] }],
};
const volume = { sizeGib: 100, zone: "2", type: "PremiumV2_LRS", iops: 6000, throughputMib: 250, encryptionKey: set };

/** The parents of a storage entity in Azure. */
export const inAzureNetwork = [
  { kind: "Cluster", uid: "c", name: "dev", spec: {}, outputs: {} },
  { kind: "Network", uid: "n", name: "net", spec: { region, azure: {} }, outputs: {} },
] as const;

/** The user's key vault, which a bucket with its own key refers to. */
const givenVault = { type: "azurerm_key_vault", id: vault, attributes: { id: vault, name: "keys-1" } } as const;

const inNetwork = (version: string, azure: JsonObject): RichSpec => ({
  cloud: "azure",
  service: "network",
  spec: { region, zones: ["1", "2"], nat: "single", azure, infra: { version } },
});
const inStorage = (version: string, spec: JsonObject): RichSpec => ({
  cloud: "azure",
  service: "storage",
  parents: [...inAzureNetwork],
  given: [givenVault],
  spec: { ...spec, infra: { version } },
});

/** A rich spec for every released configuration of networks and storage in Azure. */
export const azureSpecs: Readonly<Record<string, RichSpec>> = {
  "network/azure/v1.0.0": inNetwork("v1.0.0", networkSettings),
  "network/azure/v1.1.0": inNetwork("v1.1.0", { ...networkSettings, defaultOutboundAccess: true }),
  "storage/azure/v1.0.0 (bucket)": inStorage("v1.0.0", { bucket }),
  "storage/azure/v1.0.0 (volume)": inStorage("v1.0.0", { volume }),
  "storage/azure/v1.1.0 (bucket)": inStorage("v1.1.0", {
    bucket: { ...bucket, objectLock: { mode: "GOVERNANCE", days: 1 }, azure: { redundancy: "geo-zone", softDeleteDays: 30 } },
  }),
  "storage/azure/v1.1.0 (volume)": inStorage("v1.1.0", { volume }),
};
