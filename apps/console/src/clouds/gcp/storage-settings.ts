import {
  bucketSettings,
  keySetting,
  lockSettings,
  snapshotSetting,
  volumeSettings,
  volumeType,
} from "../../kinds/storage/settings.ts";
import type { SettingGroup } from "../../settings/setting.ts";

const key = "projects/…/locations/…/keyRings/…/cryptoKeys/…";

export const gcpBucketSettings: readonly SettingGroup[] = [
  {
    title: "Cloud Storage bucket",
    isAdvanced: true,
    settings: [...bucketSettings, ...lockSettings, keySetting("bucket", "KMS key", key)],
  },
];

export const gcpVolumeSettings: readonly SettingGroup[] = [
  {
    title: "Persistent disk",
    settings: [
      volumeType("pd-balanced", [
        "pd-ssd",
        "pd-standard",
        "pd-extreme",
        "hyperdisk-balanced",
        "hyperdisk-extreme",
        "hyperdisk-throughput",
      ]),
      ...volumeSettings,
      snapshotSetting,
      keySetting("volume", "KMS key", key),
    ],
  },
];
