import {
  bucketSettings,
  keySetting,
  lockSettings,
  snapshotSetting,
  volumeSettings,
  volumeType,
} from "../../kinds/storage/settings.ts";
import type { SettingGroup } from "../../settings/setting.ts";

const key = "arn:aws:kms:eu-west-1:123456789012:key/…";

export const awsBucketSettings: readonly SettingGroup[] = [
  {
    title: "S3 bucket",
    isAdvanced: true,
    settings: [
      ...bucketSettings,
      {
        path: "bucket.abortUploadsAfterDays",
        label: "Days until incomplete uploads are deleted",
        input: "number",
        max: 36_500,
        placeholder: "7",
      },
      ...lockSettings,
      keySetting("bucket", "KMS key", key),
    ],
  },
];

export const awsVolumeSettings: readonly SettingGroup[] = [
  {
    title: "EBS volume",
    settings: [
      volumeType("gp3", ["gp2", "io1", "io2", "st1", "sc1", "standard"]),
      ...volumeSettings,
      snapshotSetting,
      keySetting("volume", "KMS key", key),
    ],
  },
];
