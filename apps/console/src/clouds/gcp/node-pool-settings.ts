import { poolSettings } from "../../kinds/node-pool/settings.ts";
import type { SettingGroup } from "../../settings/setting.ts";

export const gcpNodePoolSettings: readonly SettingGroup[] = [
  {
    title: "GPUs",
    isAdvanced: true,
    settings: [
      { path: "gcp.accelerator", label: "GPU type", input: "text", placeholder: "nvidia-l4" },
      { path: "gcp.acceleratorCount", label: "GPUs per node", input: "number", max: 16 },
    ],
  },
  { title: "Nodes", isAdvanced: true, settings: poolSettings },
  {
    title: "GKE node pool",
    isAdvanced: true,
    settings: [
      {
        path: "gcp.image",
        label: "Operating system",
        input: "choice",
        usual: "Container-Optimized OS (default)",
        options: [["ubuntu", "Ubuntu"]],
      },
      {
        path: "gcp.diskType",
        label: "Boot disk",
        input: "choice",
        usual: "pd-balanced (default)",
        options: [
          ["pd-standard", "pd-standard"],
          ["pd-ssd", "pd-ssd"],
          ["hyperdisk-balanced", "hyperdisk-balanced"],
        ],
      },
      { path: "gcp.secureBoot", label: "Secure boot", input: "switch", isOn: true },
      {
        path: "gcp.maxSurge",
        label: "Additional nodes per zone during an upgrade",
        input: "number",
        max: 20,
        placeholder: "1",
      },
      {
        path: "gcp.maxUnavailable",
        label: "Unavailable nodes per zone during an upgrade",
        input: "number",
        max: 20,
        placeholder: "0",
      },
      { path: "gcp.maxPods", label: "Pods per node", input: "number", max: 256, placeholder: "110" },
      { path: "gcp.networkTags", label: "Network tags", input: "list", description: "For firewall rules" },
    ],
  },
];
