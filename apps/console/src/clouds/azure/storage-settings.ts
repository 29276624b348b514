import { bucketSettings, keySetting, lockSettings, volumeSettings, volumeType } from "../../kinds/storage/settings.ts";
import type { SettingGroup } from "../../settings/setting.ts";

export const azureBucketSettings: readonly SettingGroup[] = [
  {
    title: "Storage account",
    isAdvanced: true,
    settings: [
      {
        path: "bucket.azure.redundancy",
        label: "Redundancy",
        input: "choice",
        usual: "Zone, if the region has zones (default)",
        options: [
          ["local", "Local: copies in one data centre"],
          ["zone", "Zone: copies in several zones"],
          ["geo", "Geo: local, plus a second region"],
          ["geo-zone", "Geo-zone: zones, plus a second region"],
        ],
      },
      {
        path: "bucket.azure.softDeleteDays",
        label: "Days during which deleted objects can be restored",
        input: "number",
        max: 365,
        placeholder: "7",
      },
      {
        path: "bucket.azure.sharedKeys",
        label: "Access with account keys",
        input: "switch",
        description: "If off, only Entra ID grants access",
      },
      ...bucketSettings,
      ...lockSettings,
      keySetting("bucket", "Key Vault key", "/subscriptions/…/vaults/main/keys/data"),
    ],
  },
];

export const azureVolumeSettings: readonly SettingGroup[] = [
  {
    title: "Managed disk",
    settings: [
      volumeType("Premium_LRS", [
        "Premium_ZRS",
        "PremiumV2_LRS",
        "StandardSSD_LRS",
        "StandardSSD_ZRS",
        "Standard_LRS",
        "UltraSSD_LRS",
      ]),
      ...volumeSettings,
      keySetting("volume", "Disk encryption set", "/subscriptions/…/diskEncryptionSets/main"),
    ],
  },
];
