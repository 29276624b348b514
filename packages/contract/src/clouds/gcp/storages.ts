import {
  confirmProblems,
  listLifecycleProblems,
  listVolumeProblems,
  type BucketShape,
  type LifecycleFacts,
  type LifecycleRuleShape,
  type SpecCheck,
  type SpecProblem,
  type Suspicion,
  type VolumeLimits,
  type VolumeShape,
} from "../spec-checks.ts";

const keyPattern = /^projects\/[^/]+\/locations\/([^/]+)\/keyRings\/[^/]+\/cryptoKeys\/[^/]+$/;
const keyExample = "projects/my-project/locations/europe-west1/keyRings/main/cryptoKeys/storage";

/** Limits of disks. The documentation recommends at least 10 GiB for persistent disks, but Compute Engine creates smaller ones too. */
export const volumeTypes: Readonly<Record<string, VolumeLimits>> = {
  "pd-balanced": { sizeGib: [1, 65_536] },
  "pd-ssd": { sizeGib: [1, 65_536] },
  "pd-standard": { sizeGib: [1, 65_536] },
  "pd-extreme": { sizeGib: [500, 65_536], iops: [1, 120_000] },
  "hyperdisk-balanced": { sizeGib: [4, 65_536], iops: [1, 160_000], throughputMib: [1, 2400] },
  "hyperdisk-extreme": { sizeGib: [64, 65_536], iops: [1, 350_000] },
  "hyperdisk-throughput": { sizeGib: [2048, 32_768], throughputMib: [1, 2400] },
};

const lifecycle: LifecycleFacts = { classes: { NEARLINE: 1, COLDLINE: 1, ARCHIVE: 1 }, reservedIds: [] };

/**
 * Maximum number of actions in a bucket's lifecycle rules. Each action becomes a rule in Cloud Storage, which limits the rules per bucket,
 * and the configuration adds some rules itself.
 */
const maxActions = 96;

/** Returns the settings of a bucket or disk that Google Cloud does not accept. */
export const checkGcpStorage: SpecCheck = ({ name, spec, region }) => {
  const { bucket, volume } = spec as { readonly bucket?: BucketShape; readonly volume?: VolumeShape };
  return [
    ...(volume === undefined ? [] : checkVolume(volume, region)),
    ...(bucket === undefined ? [] : checkBucket(name, bucket, region)),
  ];
};

function checkVolume({ type = "", sizeGib = 0, iops = 0, throughputMib = 0, encryptionKey = "" }: VolumeShape, region: string) {
  return [
    ...listVolumeProblems(volumeTypes, { type: type || "pd-balanced", sizeGib, iops, throughputMib }),
    ...checkKey("spec.volume.encryptionKey", encryptionKey, region),
  ];
}

function checkBucket(name: string, bucket: BucketShape, region: string): SpecProblem[] {
  const { encryptionKey = "", lifecycleRules = [], replication } = bucket;
  const actions = lifecycleRules.reduce((sum, rule) => sum + countActions(rule), 0);
  return [
    ...confirmProblems([
      [
        /^goog|google|g00gle/.test(name),
        "metadata.name",
        `is "${name}"; the names of buckets must not start with goog or contain google`,
      ],
      [
        replication !== undefined,
        "spec.bucket.replication",
        "is not supported in Google Cloud; copy the objects with Storage Transfer Service, or use a bucket of your own in a dual-region",
      ],
      [
        actions > maxActions,
        "spec.bucket.lifecycleRules",
        `have ${actions} actions in total; Cloud Storage allows ${maxActions}`,
      ],
    ]),
    ...listLifecycleProblems(lifecycle, lifecycleRules),
    ...checkKey("spec.bucket.encryptionKey", encryptionKey, region),
  ];
}

function countActions(rule: LifecycleRuleShape): number {
  const { expireAfterDays = 0, expireNoncurrentAfterDays = 0, abortUploadsAfterDays = 0, transitions = [] } = rule;
  return (
    [expireAfterDays, expireNoncurrentAfterDays, abortUploadsAfterDays].filter((days) => days > 0).length + transitions.length
  );
}

function checkKey(field: string, key: string, region: string): SpecProblem[] {
  const [, location] = keyPattern.exec(key) ?? [];
  const isElsewhere: Suspicion = [
    location !== undefined && region !== "" && location.toLowerCase() !== region,
    field,
    `is a key in ${location ?? ""}; Google Cloud requires a key in ${region}, the region of the storage`,
  ];
  return confirmProblems([
    [key !== "" && location === undefined, field, `is "${key}"; use the full name of a key such as ${keyExample}`],
    isElsewhere,
  ]);
}
