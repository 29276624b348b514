import { z } from "zod";

const words = (maximum: number): z.ZodDefault<z.ZodString> => z.string().max(maximum).default("");
const role = z
  .string()
  .regex(/^(arn:aws[a-z-]*:iam::[0-9]{12}:role\/[A-Za-z0-9+=,.@_/-]{1,512})?$/)
  .default("");
const key = z
  .string()
  .regex(/^(arn:aws[a-z-]*:kms:[a-z0-9-]+:[0-9]{12}:key\/[A-Za-z0-9-]{1,64})?$/)
  .default("");
const range = z.union([z.literal(""), z.cidrv4()]).default("");

const labels = z
  .record(
    z
      .string()
      .max(128)
      .regex(/^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/),
    z
      .string()
      .max(63)
      .regex(/^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/),
  )
  .refine((pairs) => Object.keys(pairs).length <= 64)
  .default({});
const annotations = z
  .record(z.string().min(1).max(253), z.string().max(16_384))
  .refine((pairs) => Object.keys(pairs).length <= 64)
  .default({});

const metadata = z.strictObject({
  name: z
    .string()
    .max(63)
    .regex(/^[a-z]([-a-z0-9]*[a-z0-9])?$/),
  labels,
  annotations,
  environment: words(63),
  deletionProtection: z.boolean().default(false),
  deletionPolicy: z.enum(["", "delete", "retain"]).default(""),
  resourceVersion: words(64),
});

const isDistinct = (items: readonly string[]): boolean => new Set(items).size === items.length;
const accessEntry = z
  .strictObject({
    principalArn: z.string().regex(/^arn:aws[a-z-]*:iam::[0-9]{12}:(role|user)\/[A-Za-z0-9+=,.@_/-]{1,512}$/),
    policy: z.enum(["", "cluster-admin", "admin", "edit", "view"]).default(""),
    namespaces: z.array(z.string()).max(100).refine(isDistinct).default([]),
    groups: z.array(z.string()).max(20).refine(isDistinct).default([]),
  })
  .refine(({ namespaces, policy }) => namespaces.length === 0 || ["admin", "edit", "view"].includes(policy));
const podIdentity = z.strictObject({
  namespace: z.string().regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/),
  serviceAccount: z.string().regex(/^[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?$/),
  roleArn: z.string().regex(/^arn:aws[a-z-]*:iam::[0-9]{12}:role\/[A-Za-z0-9+=,.@_/-]{1,512}$/),
});

const aws = z.strictObject({
  karpenter: z.strictObject({ enabled: z.boolean().default(false) }).optional(),
  eksRoleArn: role,
  nodeRoleArn: role,
  logTypes: z
    .array(z.enum(["none", "api", "audit", "authenticator", "controllerManager", "scheduler"]))
    .refine((types) => isDistinct(types) && (!types.includes("none") || types.length === 1))
    .default([]),
  logRetentionDays: z.int().min(0).max(3653).optional(),
  kmsKeyArn: key,
  accessEntries: z.array(accessEntry).max(100).default([]),
  ebsCsiRoleArn: role,
  loadBalancerControllerRoleArn: role,
  karpenterRoleArn: role,
  karpenterNodeRoleArn: role,
  podIdentities: z.array(podIdentity).max(100).default([]),
  support: z.enum(["", "standard", "extended"]).default(""),
  deletionProtection: z.boolean().optional(),
  nodeVolumeKmsKeyArn: key,
  permissionsBoundaryArn: z
    .string()
    .regex(/^(arn:aws[a-z-]*:iam::([0-9]{12}|aws):policy\/[A-Za-z0-9+=,.@_/-]{1,512})?$/)
    .default(""),
  rolePath: z
    .string()
    .max(512)
    .regex(/^(\/([A-Za-z0-9+=,.@_-]+\/)*)?$/)
    .default(""),
});
const gcp = z.strictObject({ releaseChannel: z.enum(["", "rapid", "regular", "stable"]).default("") });
const azure = z.strictObject({ resourceGroup: words(90), tier: z.enum(["", "free", "standard", "premium"]).default("") });
const local = z.strictObject({ bootstrapper: z.enum(["", "kubeadm", "rke2"]).default("") });

const job = z.strictObject({
  namespace: z.string().regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/),
  image: z.string().min(1).max(512),
  command: z.array(z.string().max(4096)).max(64).default([]),
  args: z.array(z.string().max(4096)).max(64).default([]),
  serviceAccount: words(253),
});
const gateService = z.strictObject({ namespace: words(63), name: words(63), port: words(63), https: z.boolean().default(false) });
const gate = z.strictObject({
  name: z.string().regex(/^[a-z]([-a-z0-9]{0,28}[a-z0-9])?$/),
  when: z
    .array(z.enum(["before", "between", "after"]))
    .refine(isDistinct)
    .default([]),
  timeoutSeconds: z.int().min(0).max(3600).default(0),
  retries: z.int().min(0).max(20).optional(),
  intervalSeconds: z.int().min(0).max(600).default(0),
  job: job.optional(),
  http: z
    .strictObject({
      service: gateService.optional(),
      path: words(1024),
      url: words(2048),
      expectedStatus: z.int().min(0).max(599).default(0),
      bodyContains: words(1024),
    })
    .optional(),
  metric: z
    .strictObject({
      service: gateService.optional(),
      url: words(2048),
      query: z.string().min(1).max(4096),
      comparison: z.enum(["<", "<=", ">", ">=", "==", "!="]),
      threshold: z.number().default(0),
    })
    .optional(),
});
const existing = z.strictObject({
  account: z.string().min(1).max(63),
  id: z.string().min(1).max(1024),
  region: z.string().min(1).max(64),
  mode: z.enum(["", "observe", "manage"]).default(""),
});

const infra = z.strictObject({
  version: z
    .string()
    .regex(/^(v(0|[1-9][0-9]{0,5})\.(0|[1-9][0-9]{0,5})\.(0|[1-9][0-9]{0,5}))?$/)
    .default(""),
  approval: z.enum(["", "risky", "always"]).default(""),
  drift: z.enum(["", "report", "correct"]).default(""),
  ignore: z
    .array(z.strictObject({ address: z.string().min(1).max(512), path: z.string().min(1).max(512), owner: words(128) }))
    .max(200)
    .default([]),
  overrides: z.record(z.string(), z.json()).optional(),
  backend: z
    .strictObject({
      type: z.enum(["s3", "gcs", "azurerm", "pg"]),
      settings: z.record(z.string().regex(/^[a-z][a-z0-9_]{0,63}$/), z.string().max(1024)).default({}),
    })
    .optional(),
});

const spec = z
  .strictObject({
    network: words(63),
    version: z
      .string()
      .regex(/^(v?1\.(0|[1-9][0-9]{0,2})(\.(0|[1-9][0-9]{0,2}))?)?$/)
      .default(""),
    workers: z.int().min(0).max(1000).optional(),
    instanceType: words(64),
    endpoint: z
      .strictObject({
        public: z.boolean().default(false),
        publicCidrs: z
          .array(z.union([z.cidrv4(), z.cidrv6()]))
          .max(40)
          .default([]),
      })
      .optional(),
    networking: z.strictObject({ podCidr: range, serviceCidr: range }).optional(),
    addOns: z
      .array(
        z.strictObject({
          name: z.string().regex(/^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/),
          version: words(64),
          configuration: words(65_536),
          disabled: z.boolean().default(false),
        }),
      )
      .max(64)
      .default([]),
    controlPlaneNodes: z.union([z.literal(0), z.literal(1), z.literal(3), z.literal(5)]).default(0),
    claimVolumes: z.enum(["", "retain", "delete"]).default(""),
    provisioner: z.enum(["", "terraform", "direct"]).default(""),
    existing: existing.optional(),
    infra: infra.optional(),
    upgrade: z.strictObject({ gates: z.array(gate).max(16).default([]) }).optional(),
    aws: aws.optional(),
    gcp: gcp.optional(),
    azure: azure.optional(),
    local: local.optional(),
  })
  .refine(({ network, existing: found }) => (network === "") === (found !== undefined))
  .refine(({ endpoint }) => endpoint === undefined || endpoint.public || endpoint.publicCidrs.length === 0)
  .refine((input) => [input.aws, input.gcp, input.azure, input.local].filter((cloud) => cloud !== undefined).length <= 1);

/** The cluster message of the contract as a hand-written Zod schema. */
export const clusterSchema = z.strictObject({ metadata, spec });

export type ClusterInput = z.infer<typeof clusterSchema>;

/** Default settings per cloud. If the request specifies no cloud, the cluster gets the defaults for its network's cloud. */
export const emptyClouds = { aws: aws.parse({}), gcp: gcp.parse({}), azure: azure.parse({}), local: local.parse({}) } as const;

/** Path parameters of `/v1/projects/{project}/clusters`. */
export const placeSchema = z.object({ project: z.string().max(63) });

/** Path parameters of a single cluster. */
export const refSchema = z.object({ project: z.string().max(63), name: z.string().min(1).max(63) });
