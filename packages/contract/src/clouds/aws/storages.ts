import {
  confirmProblems,
  listLifecycleProblems,
  listVolumeProblems,
  type BucketShape,
  type LifecycleFacts,
  type SpecCheck,
  type SpecProblem,
  type VolumeLimits,
  type VolumeShape,
} from "../spec-checks.ts";

/** Limits of EBS volumes, as in the documentation of CreateVolume. */
export const awsVolumeTypes: Readonly<Record<string, VolumeLimits>> = {
  gp3: { sizeGib: [1, 65_536], iops: [3000, 80_000], throughputMib: [125, 2000] },
  gp2: { sizeGib: [1, 16_384] },
  io1: { sizeGib: [4, 16_384], iops: [100, 64_000], needsIops: true },
  io2: { sizeGib: [4, 65_536], iops: [100, 256_000], needsIops: true },
  st1: { sizeGib: [125, 16_384] },
  sc1: { sizeGib: [125, 16_384] },
  standard: { sizeGib: [1, 1024] },
};

/** Maximum IOPS per GiB. Every gp3 volume can have 3,000 IOPS, whatever its size. */
const iopsPerGib: Readonly<Record<string, number>> = { gp3: 500, io1: 50, io2: 1000 };
const usualIops = 3000;
/** EBS allows at most 1 MiB/s of throughput for every 4 IOPS. */
const iopsPerMib = 4;

/** S3 allows transitions to the infrequent-access classes only after 30 days. */
export const awsLifecycle: LifecycleFacts = {
  classes: { STANDARD_IA: 30, ONEZONE_IA: 30, INTELLIGENT_TIERING: 0, GLACIER_IR: 0, GLACIER: 0, DEEP_ARCHIVE: 0 },
  reservedIds: ["expire", "abort-uploads"],
};

/** Returns the settings of a bucket or volume that S3 or EBS does not accept. */
export const checkAwsStorage: SpecCheck = ({ spec }) => {
  const { bucket, volume } = spec as { readonly bucket?: BucketShape; readonly volume?: VolumeShape };
  return [
    ...(volume === undefined ? [] : listAwsVolumeProblems(volume)),
    ...(bucket === undefined
      ? []
      : [...listLifecycleProblems(awsLifecycle, bucket.lifecycleRules ?? []), ...listAwsReplicationProblems(bucket)]),
  ];
};

/** Returns the settings that EBS does not accept. */
export function listAwsVolumeProblems(volume: VolumeShape): SpecProblem[] {
  const { sizeGib = 0, iops = 0, throughputMib = 0 } = volume;
  const type = volume.type || "gp3";
  const found = listVolumeProblems(awsVolumeTypes, { type, sizeGib, iops, throughputMib });
  if (found.length > 0) return found;
  const ratio = iopsPerGib[type] ?? 0;
  const most = Math.max(usualIops, sizeGib * ratio);
  const fastest = Math.floor(Math.max(usualIops, iops) / iopsPerMib);
  return confirmProblems([
    [
      iops > (type === "gp3" ? most : sizeGib * ratio),
      "spec.volume.iops",
      `is ${iops}; ${type} volumes allow ${ratio} IOPS per GiB, so increase spec.volume.sizeGib or reduce the IOPS`,
    ],
    [
      throughputMib > fastest,
      "spec.volume.throughputMib",
      `is ${throughputMib}; the volume allows at most ${fastest}, a quarter of its IOPS, so increase spec.volume.iops`,
    ],
  ]);
}

/** Returns the problems with a bucket's replication. Without a key for the copies, S3 silently skips encrypted objects. */
export function listAwsReplicationProblems({ encryptionKey = "", replication }: BucketShape): SpecProblem[] {
  if (replication === undefined || (encryptionKey === "") === ((replication.encryptionKey ?? "") === "")) return [];
  const message =
    encryptionKey === ""
      ? "is only supported if the bucket has its own encryption key"
      : "is required because the bucket has its own encryption key";
  return [{ field: "spec.bucket.replication.encryptionKey", message }];
}
