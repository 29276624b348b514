import type { AnyEntity } from "@cloudwright/api-client";
import type { CreatableKind } from "./creatable.ts";

/** The values of the create form. Each kind uses some of them. */
export interface Draft {
  readonly name: string;
  readonly environment: string;
  readonly labels: readonly string[];
  readonly simulated: boolean;
  readonly reach: "agent" | "role" | "key";
  readonly accountId: string;
  readonly roleArn: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly account: string;
  readonly region: string;
  readonly cidr: string;
  readonly zones: readonly string[];
  readonly nat: string;
  readonly network: string;
  readonly version: string;
  readonly workers: number;
  readonly instanceType: string;
  readonly approval: string;
  readonly cluster: string;
  readonly min: number;
  readonly desired: number;
  readonly max: number;
  readonly capacity: string;
  readonly storageType: "bucket" | "volume";
  readonly versioning: boolean;
  readonly sizeGib: number;
  readonly description: string;
}

/** The values of an untouched form. */
export const emptyDraft: Draft = {
  name: "",
  environment: "",
  labels: [],
  simulated: true,
  reach: "agent",
  accountId: "",
  roleArn: "",
  accessKeyId: "",
  secretAccessKey: "",
  account: "",
  region: "eu-west-1",
  cidr: "10.0.0.0/16",
  zones: ["a", "b"],
  nat: "",
  network: "",
  version: "",
  workers: 2,
  instanceType: "",
  approval: "",
  cluster: "",
  min: 1,
  desired: 2,
  max: 4,
  capacity: "",
  storageType: "bucket",
  versioning: true,
  sizeGib: 20,
  description: "",
};

/** Builds the entity that a form describes. Fields with default values are omitted. */
export function buildEntity(kind: CreatableKind, draft: Draft): AnyEntity {
  const labels = Object.fromEntries(draft.labels.map((label) => splitLabel(label)));
  return {
    metadata: {
      name: draft.name,
      ...(draft.environment === "" ? {} : { environment: draft.environment }),
      ...(draft.labels.length === 0 ? {} : { labels }),
    },
    spec: specs[kind](draft),
  };
}

/** Replaces secrets by placeholders, so that the entity can be displayed. */
export function concealSecrets(entity: AnyEntity): AnyEntity {
  const spec = entity.spec as { aws?: { secretAccessKey?: string } } | undefined;
  if (spec?.aws?.secretAccessKey === undefined) return entity;
  return { ...entity, spec: { ...spec, aws: { ...spec.aws, secretAccessKey: "<secret>" } } };
}

const specs: Readonly<Record<CreatableKind, (draft: Draft) => object>> = {
  Account: (draft) => ({
    aws: draft.simulated ? {} : reaches[draft.reach](draft),
    ...(draft.simulated ? { simulated: true } : {}),
  }),
  Network: ({ account, region, cidr, zones, nat }) => ({ account, region, cidr, zones: [...zones], ...said({ nat }) }),
  Cluster: ({ network, version, workers, instanceType, approval }) => ({
    network,
    workers,
    ...said({ version, instanceType }),
    ...(approval === "" ? {} : { infra: { approval } }),
  }),
  NodePool: ({ instanceType, min, desired, max, capacity }) => ({ min, desired, max, ...said({ instanceType, capacity }) }),
  Storage: ({ cluster, storageType, versioning, sizeGib }) => ({
    cluster,
    ...(storageType === "bucket" ? { bucket: versioning ? { versioning: true } : {} } : { volume: { sizeGib } }),
  }),
  Environment: ({ description }) => said({ description }),
};

const reaches: Readonly<Record<Draft["reach"], (draft: Draft) => object>> = {
  agent: ({ accountId }) => ({ agentCredentials: true, ...said({ accountId }) }),
  role: ({ accountId, roleArn }) => ({ roleArn, ...said({ accountId }) }),
  key: ({ accountId, accessKeyId, secretAccessKey }) => ({ accessKeyId, secretAccessKey, ...said({ accountId }) }),
};

function said(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));
}

function splitLabel(label: string): [key: string, value: string] {
  const at = label.indexOf("=");
  return at === -1 ? [label, ""] : [label.slice(0, at), label.slice(at + 1)];
}
