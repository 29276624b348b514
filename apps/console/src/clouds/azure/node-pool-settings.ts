import { poolSettings } from "../../kinds/node-pool/settings.ts";
import type { SettingGroup } from "../../settings/setting.ts";

export const azureNodePoolSettings: readonly SettingGroup[] = [
  { title: "Nodes", isAdvanced: true, settings: poolSettings },
  {
    title: "AKS node pool",
    isAdvanced: true,
    settings: [
      {
        path: "azure.system",
        label: "System pool",
        input: "switch",
        description: "Runs system pods. Requires at least one node and on-demand capacity.",
      },
      {
        path: "azure.os",
        label: "Operating system",
        input: "choice",
        usual: "Azure Linux (default)",
        options: [["ubuntu", "Ubuntu"]],
      },
      {
        path: "azure.osDisk",
        label: "Operating system disk",
        input: "choice",
        usual: "Managed (default)",
        options: [["ephemeral", "Ephemeral: faster, on local storage"]],
      },
      {
        path: "azure.maxSurge",
        label: "Additional nodes during an upgrade",
        input: "text",
        description: "A number or a percentage",
        placeholder: "33%",
      },
      {
        path: "azure.drainTimeoutMinutes",
        label: "Drain timeout per node during an upgrade, in minutes",
        input: "number",
        max: 1440,
        placeholder: "30",
      },
      { path: "azure.maxPods", label: "Pods per node", input: "number", min: 10, max: 250 },
      {
        path: "azure.spotMaxPrice",
        label: "Maximum price per hour in US dollars",
        input: "text",
        description: "For spot capacity. Leave empty to pay at most the on-demand price.",
        placeholder: "0.05",
      },
    ],
  },
];
