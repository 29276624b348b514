import type { Setting } from "../../settings/setting.ts";

/** Settings that node pools have in every cloud. */
export const poolSettings: readonly Setting[] = [
  {
    path: "nodeLabels",
    label: "Node labels",
    input: "map",
    description: "key=value, then Enter",
    placeholder: "workload=batch",
  },
  {
    path: "taints",
    label: "Taints",
    input: "taints",
    description: "key=value:NoSchedule, then Enter",
    placeholder: "dedicated=batch:NoSchedule",
  },
  {
    path: "zones",
    label: "Zones",
    input: "list",
    description: "Leave empty to use all zones of the network",
  },
  {
    path: "diskSizeGib",
    label: "Disk size in GiB",
    input: "number",
    min: 1,
    max: 16_384,
    description: "Leave empty to use the default",
  },
];
