import { poolSettings } from "../../kinds/node-pool/settings.ts";
import type { SettingGroup } from "../../settings/setting.ts";

export const awsNodePoolSettings: readonly SettingGroup[] = [
  { title: "Nodes", isAdvanced: true, settings: poolSettings },
  {
    title: "EKS node group",
    isAdvanced: true,
    settings: [
      {
        path: "instanceTypes",
        label: "Multiple machine types",
        input: "list",
        description: "For spot capacity. EC2 chooses an available type from this list, which replaces the machine type above.",
        placeholder: "m6i.large",
      },
      {
        path: "aws.bottlerocketSettings",
        label: "Bottlerocket settings (TOML)",
        input: "text",
        description: "Must not contain secrets. Changing the settings replaces the nodes.",
      },
    ],
  },
];
