import type { JsonObject } from "@cloudwright/deployer";
import { parseJson, type Json } from "@cloudwright/platform";
import type { StoredPlan } from "@cloudwright/deployer/testing";
import { evaluateOutputs } from "./evaluate-outputs.ts";
import { addNetwork, inNetwork } from "./network-above.ts";
import type { RichSpec } from "./rich-spec.ts";
import { aksSpecs } from "./rich-specs-aks.ts";
import { azureSpecs } from "./rich-specs-azure.ts";
import { gcpSpecs } from "./rich-specs-gcp.ts";
import { gkeSpecs } from "./rich-specs-gke.ts";
import type { TestEntity, TestPlatform } from "./test-platform.ts";

const role = (name: string): string => `arn:aws:iam::123456789012:role/${name}`;
const key = (name: string): string => `arn:aws:kms:eu-west-1:123456789012:key/${name}`;
const zones = ["a", "b", "c"];
const pool = (name: string, zone: string): { uid: string; name: string; spec: JsonObject } => {
  const taints = [{ key: "spot", value: "true", effect: "NoSchedule" }];
  const spec = { min: 0, desired: 1, max: 4, instanceType: "m7g.large", capacity: "spot", zones: [zone], taints };
  return { uid: name, name, spec };
};
const nodePools = [pool("spot-a", "a"), pool("spot-b", "b")];
const admins = [{ principalArn: role("ops"), policy: "cluster-admin" }];
const networkSettings = {
  loadBalancerIps: 2,
  flowLogs: true,
  interfaceEndpoints: ["ecr.api", "sts"],
  aclRules: [{ number: 10, subnets: "public", direction: "in", action: "deny", cidr: "192.0.2.0/24" }],
};
const laterSettings = { secondaryCidrs: ["100.64.0.0/16"], controlPlanePeerCidrs: ["172.16.0.0/16"] };
const bucket = {
  versioning: true,
  encryptionKey: key("k"),
  expireAfterDays: 365,
  lifecycleRules: [{ id: "cold", prefix: "old/", transitions: [{ afterDays: 30, storageClass: "GLACIER" }] }],
  replication: { bucket: "arn:aws:s3:::copies", encryptionKey: key("c") },
};
const ours = { Effect: "Deny", Principal: "*", Action: "s3:DeleteBucket" };
const volume = { sizeGib: 100, zone: "b", iops: 6000, throughputMib: 250 };
const at = (version: string, spec: JsonObject): JsonObject => ({ ...spec, infra: { version } });

/** A rich spec for every released configuration. */
export const richSpecs: Readonly<Record<string, RichSpec>> = {
  "network/aws/v0.1.0": { service: "network", spec: at("v0.1.0", { zones, nat: "per-zone" }) },
  "network/aws/v1.0.0": { service: "network", spec: at("v1.0.0", { zones, nat: "per-zone", aws: networkSettings }) },
  "network/aws/v1.1.0": {
    service: "network",
    spec: at("v1.1.0", { zones, nat: "per-zone", aws: { ...networkSettings, ...laterSettings } }),
  },
  "network/aws/v1.2.0": {
    service: "network",
    spec: at("v1.2.0", { zones, nat: "per-zone", aws: { ...networkSettings, ...laterSettings, ipv6: true } }),
  },
  "kubernetes/aws/v0.1.0": {
    service: "cluster",
    spec: at("v0.1.0", { version: "1.33", workers: 2 }),
    nodePools,
  },
  "kubernetes/aws/v1.0.0": {
    service: "cluster",
    spec: at("v1.0.0", {
      version: "1.34",
      workers: 2,
      aws: { karpenter: { enabled: true }, logTypes: ["api", "audit"], accessEntries: admins },
      addOns: [{ name: "coredns", configuration: '{"replicaCount":3}' }, { name: "snapshot-controller" }],
    }),
    nodePools,
  },
  "kubernetes/aws/v1.1.0": {
    service: "cluster",
    spec: at("v1.1.0", {
      version: "1.34",
      workers: 2,
      aws: {
        karpenter: { enabled: true },
        accessEntries: admins,
        support: "extended",
        nodeVolumeKmsKeyArn: key("n"),
        permissionsBoundaryArn: "arn:aws:iam::123456789012:policy/boundary",
        rolePath: "/platform/",
      },
      addOns: [{ name: "aws-efs-csi-driver" }, { name: "adot" }, { name: "amazon-cloudwatch-observability" }],
    }),
    nodePools: nodePools.map((each) => ({
      ...each,
      spec: { ...each.spec, instanceTypes: ["m7g.large", "m6g.large"], aws: { bottlerocketSettings: "[settings.kernel]" } },
    })),
  },
  "storage/aws/v0.1.0 (bucket)": {
    service: "storage",
    spec: at("v0.1.0", { bucket: { versioning: true, expireAfterDays: 365 } }),
  },
  "storage/aws/v0.1.0 (volume)": { service: "storage", spec: at("v0.1.0", { volume: { sizeGib: 100, zone: "b" } }) },
  "storage/aws/v1.0.0 (bucket)": { service: "storage", spec: at("v1.0.0", { bucket }) },
  "storage/aws/v1.0.0 (volume)": { service: "storage", spec: at("v1.0.0", { volume }) },
  "storage/aws/v1.1.0 (bucket)": { service: "storage", spec: at("v1.1.0", { bucket }) },
  "storage/aws/v1.1.0 (volume)": { service: "storage", spec: at("v1.1.0", { volume }) },
  "storage/aws/v1.2.0 (bucket)": {
    service: "storage",
    spec: at("v1.2.0", { bucket: { ...bucket, objectLock: { mode: "GOVERNANCE", days: 1 }, policy: { Statement: [ours] } } }),
  },
  "storage/aws/v1.2.0 (volume)": { service: "storage", spec: at("v1.2.0", { volume }) },
  ...gcpSpecs,
  ...gkeSpecs,
  ...aksSpecs,
  ...azureSpecs,
};

/** An entity with a rich spec, and the tasks that the control plane would run for it. */
export interface RichEntity {
  readonly entity: TestEntity;
  plan(): Promise<StoredPlan & { readonly uid: string }>;
  apply(planUid: string): Promise<JsonObject>;
  build(): Promise<JsonObject>;
  findDrift(): Promise<JsonObject>;
  /** Checks for drift. Before that, refreshes the state and returns what `terraform output` prints. */
  readOutputs(): Promise<JsonObject>;
  /** Returns the values of the outputs in the state. */
  savedOutputs(): JsonObject;
  destroy(): Promise<JsonObject>;
  /** Returns the ids of the entity's own resources in the cloud. */
  list(): Promise<string[]>;
}

/** Opens an entity in its own account. Clusters and storage are placed in an existing network. */
export async function openRichEntity(platform: TestPlatform, rich: RichSpec): Promise<RichEntity> {
  const { service, cloud, given: records = [], ...request } = rich;
  const entity = platform.openEntity({}, cloud);
  if (cloud === undefined && service !== "network") await addNetwork(platform.inventory, entity.account.uid);
  for (const record of records) await platform.inventory.put(entity.account.uid, record);
  const given = new Set((await entity.list()).map(({ id }) => id));
  const options = { name: "shop", parents: service === "network" ? [] : inNetwork, ...request };
  const apply: RichEntity["apply"] = (plan) => entity.run(`${service}.apply`, { ...options, plan });
  const plan: RichEntity["plan"] = async () => {
    const uid = (await entity.run(`${service}.plan`, options))["plan"] as string;
    const stored = platform.endpoint.plans.get(uid);
    if (stored === undefined) throw new Error("the plan was not stored");
    return { ...stored, uid };
  };
  return {
    entity,
    plan,
    apply,
    build: async () => apply((await plan()).uid),
    findDrift: () => entity.run(`${service}.check`, options),
    async readOutputs() {
      const evaluation = evaluateOutputs(platform.spawn);
      await entity.run(`${service}.check`, { ...options, spawn: evaluation.spawn });
      return evaluation.result();
    },
    savedOutputs() {
      const { outputs } = parseJson(platform.endpoint.state(entity.uid) ?? "") as { outputs: Record<string, { value: Json }> };
      return Object.fromEntries(Object.entries(outputs).map(([output, { value }]) => [output, value]));
    },
    destroy: () => entity.run(`${service}.destroy`, options),
    list: async () =>
      (await entity.list())
        .map(({ type, id }) => `${type} ${id}`)
        .filter((name) => !given.has(name.split(" ")[1] ?? ""))
        .toSorted(),
  };
}
