import {
  confirmProblems,
  listLifecycleProblems,
  listVolumeProblems,
  type BucketShape,
  type LifecycleFacts,
  type SpecCheck,
  type SpecProblem,
  type Suspicion,
  type VolumeLimits,
  type VolumeShape,
} from "../spec-checks.ts";
import { zoneSuffixes } from "./zones.ts";

interface AzureBucketShape extends BucketShape {
  readonly azure?: { readonly redundancy?: string };
}

const keyId =
  /^\/subscriptions\/[0-9a-fA-F-]{36}\/resourceGroups\/[^/]+\/providers\/Microsoft\.KeyVault\/vaults\/[A-Za-z0-9-]{3,24}\/keys\/[A-Za-z0-9-]{1,127}$/;
const setId =
  /^\/subscriptions\/[0-9a-fA-F-]{36}\/resourceGroups\/[^/]+\/providers\/Microsoft\.Compute\/diskEncryptionSets\/[^/]{1,80}$/;
const keyForm = "/subscriptions/<id>/resourceGroups/<name>/providers/Microsoft.KeyVault/vaults/<name>/keys/<name>";
const setForm = "/subscriptions/<id>/resourceGroups/<name>/providers/Microsoft.Compute/diskEncryptionSets/<name>";

/** Limits of managed disks. */
const volumeTypes: Readonly<Record<string, VolumeLimits>> = {
  Premium_LRS: { sizeGib: [1, 32_767] },
  Premium_ZRS: { sizeGib: [1, 32_767] },
  PremiumV2_LRS: { sizeGib: [1, 65_536], iops: [1, 80_000], throughputMib: [1, 2000] },
  StandardSSD_LRS: { sizeGib: [1, 32_767] },
  StandardSSD_ZRS: { sizeGib: [1, 32_767] },
  Standard_LRS: { sizeGib: [1, 32_767] },
  UltraSSD_LRS: { sizeGib: [4, 65_536], iops: [100, 400_000], throughputMib: [1, 10_000] },
};

const lifecycle: LifecycleFacts = { classes: { Cool: 0, Cold: 0, Archive: 0 }, reservedIds: ["expire"], ignoresCase: true };

/** The number of days after which Azure discards uncommitted blocks. It cannot be changed. */
const abortDays = 7;

/** Returns the settings of a bucket or volume that Azure does not accept. */
export const checkAzureStorage: SpecCheck = ({ spec, region }) => {
  const { bucket, volume } = spec as { readonly bucket?: AzureBucketShape; readonly volume?: VolumeShape };
  return [...(volume === undefined ? [] : checkVolume(volume)), ...(bucket === undefined ? [] : checkBucket(bucket, region))];
};

function checkVolume(volume: VolumeShape): SpecProblem[] {
  const { type = "", sizeGib = 0, iops = 0, throughputMib = 0, encryptionKey = "", finalSnapshot = false } = volume;
  return [
    ...listVolumeProblems(volumeTypes, { type: type || "Premium_LRS", sizeGib, iops, throughputMib }),
    ...confirmProblems([
      suspectUnsupported(finalSnapshot, "spec.volume.finalSnapshot", "create a snapshot in Azure before you delete the volume"),
      [
        encryptionKey !== "" && !setId.test(encryptionKey),
        "spec.volume.encryptionKey",
        `is "${encryptionKey}"; use the id of a disk encryption set: ${setForm}`,
      ],
    ]),
  ];
}

function checkBucket(bucket: AzureBucketShape, region: string): SpecProblem[] {
  const { encryptionKey = "", lifecycleRules = [], replication, policy, abortUploadsAfterDays } = bucket;
  const ignored = `Azure always discards incomplete uploads after ${abortDays} days`;
  return [
    ...confirmProblems([
      suspectUnsupported(
        replication !== undefined,
        "spec.bucket.replication",
        "set spec.bucket.azure.redundancy to geo or geo-zone for copies in a second region",
      ),
      suspectUnsupported(policy !== undefined, "spec.bucket.policy", "assign roles on the storage account instead"),
      suspectUnsupported((abortUploadsAfterDays ?? abortDays) !== abortDays, "spec.bucket.abortUploadsAfterDays", ignored),
      [
        encryptionKey !== "" && !keyId.test(encryptionKey),
        "spec.bucket.encryptionKey",
        `is "${encryptionKey}"; use the id of a key without its version: ${keyForm}`,
      ],
      ...lifecycleRules.map((rule, index): Suspicion => [
        (rule.abortUploadsAfterDays ?? 0) > 0,
        `spec.bucket.lifecycleRules[${index}].abortUploadsAfterDays`,
        `is not supported: ${ignored}`,
      ]),
    ]),
    ...listLifecycleProblems(lifecycle, lifecycleRules),
    ...checkRedundancy(bucket, region),
  ];
}

/** Azure offers zone-redundant storage only in regions with zones, and the class Archive only without zone redundancy. */
function checkRedundancy({ azure = {}, lifecycleRules = [] }: AzureBucketShape, region: string): SpecProblem[] {
  const hasZones = !Object.hasOwn(zoneSuffixes, region) || zoneSuffixes[region] !== "";
  const redundancy = azure.redundancy || (hasZones ? "zone" : "local");
  const isZoned = redundancy.endsWith("zone");
  const archived = lifecycleRules.flatMap(({ transitions = [] }, rule) =>
    transitions.flatMap(({ storageClass }, index) => (storageClass === "Archive" ? [[rule, index] as const] : [])),
  );
  return confirmProblems([
    [
      isZoned && !hasZones,
      "spec.bucket.azure.redundancy",
      `is ${redundancy}, but the region ${region} has no zones; use local or geo`,
    ],
    ...archived.map(([rule, index]): Suspicion => [
      isZoned,
      `spec.bucket.lifecycleRules[${rule}].transitions[${index}].storageClass`,
      `is Archive, which Azure offers only with spec.bucket.azure.redundancy local or geo, not ${redundancy}`,
    ]),
  ]);
}

function suspectUnsupported(isSet: boolean, field: string, advice: string): Suspicion {
  return [isSet, field, `is not supported in Azure: ${advice}`, true];
}
