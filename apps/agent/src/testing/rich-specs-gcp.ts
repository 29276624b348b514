import type { JsonObject } from "@cloudwright/deployer";
import type { RichSpec } from "./rich-spec.ts";

const region = "europe-west1";
const key = `projects/acme-project/locations/${region}/keyRings/main/cryptoKeys/storage`;
const networkSettings = {
  routing: "global",
  loadBalancerIps: 2,
  natIps: 2,
  flowLogs: true,
  flowLogSamplingPercent: 10,
  podCidr: "100.64.0.0/14",
  serviceCidr: "100.68.0.0/20",
  mtu: 1500,
};
const bucket = {
  versioning: true,
  encryptionKey: key,
  expireAfterDays: 365,
  lifecycleRules: [{ id: "cold", prefix: "old/", transitions: [{ afterDays: 30, storageClass: "ARCHIVE" }] }],
  objectLock: { mode: "GOVERNANCE", days: 1 },
};
const readers = { role: "roles/storage.objectViewer", members: ["group:ops@example.com", "user:ada@example.com"] };
const volume = { sizeGib: 100, zone: "c", type: "hyperdisk-balanced", iops: 6000, throughputMib: 250, encryptionKey: key };

/** The parents of a storage entity in Google Cloud. */
export const inGcpNetwork = [
  { kind: "Cluster", uid: "c", name: "dev", spec: {}, outputs: {} },
  { kind: "Network", uid: "n", name: "net", spec: { region, gcp: {} }, outputs: {} },
] as const;

const inNetwork = (version: string, gcp: JsonObject): RichSpec => ({
  cloud: "gcp",
  service: "network",
  spec: { region, zones: ["b", "c"], nat: "single", gcp, infra: { version } },
});
const inStorage = (version: string, spec: JsonObject): RichSpec => ({
  cloud: "gcp",
  service: "storage",
  parents: [...inGcpNetwork],
  spec: { ...spec, infra: { version } },
});

/** A rich spec for every released configuration of networks and storage in Google Cloud. */
export const gcpSpecs: Readonly<Record<string, RichSpec>> = {
  "network/gcp/v1.0.0": inNetwork("v1.0.0", networkSettings),
  "network/gcp/v1.1.0": inNetwork("v1.1.0", { ...networkSettings, natLogs: "all", natPortsPerMachine: 128, firewallLogs: true }),
  "storage/gcp/v1.0.0 (bucket)": inStorage("v1.0.0", { bucket }),
  "storage/gcp/v1.0.0 (volume)": inStorage("v1.0.0", { volume }),
  "storage/gcp/v1.1.0 (bucket)": inStorage("v1.1.0", { bucket: { ...bucket, policy: { bindings: [readers] } } }),
  "storage/gcp/v1.1.0 (volume)": inStorage("v1.1.0", { volume }),
};
