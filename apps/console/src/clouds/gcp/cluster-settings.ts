import { deletionSettings, endpointSettings } from "../../kinds/cluster/settings.ts";
import type { SettingGroup } from "../../settings/setting.ts";

const logTypes = ["system", "workloads", "apiserver", "scheduler", "controllerManager", "none"];
const metrics = [
  "system",
  "apiserver",
  "scheduler",
  "controllerManager",
  "storage",
  "pod",
  "deployment",
  "daemonset",
  "statefulset",
  "hpa",
  "cadvisor",
  "kubelet",
  "none",
];

export const gcpClusterSettings: readonly SettingGroup[] = [
  {
    title: "GKE control plane",
    settings: [
      {
        path: "gcp.releaseChannel",
        label: "Release channel",
        input: "choice",
        usual: "Regular (default)",
        options: [
          ["rapid", "Rapid"],
          ["stable", "Stable"],
          ["extended", "Extended"],
          ["none", "None: keep the version until you upgrade"],
        ],
        description: "In a channel, GKE upgrades the control plane and the nodes automatically",
      },
      {
        path: "gcp.zone",
        label: "Zone of the control plane",
        input: "text",
        description: "Leave empty to create a regional control plane, which survives the loss of a zone",
        placeholder: "europe-west1-b",
      },
      ...endpointSettings,
      {
        path: "gcp.dnsEndpoint",
        label: "DNS endpoint",
        input: "switch",
        description:
          "Callers with the permission container.clusters.connect can reach the API server from anywhere by its DNS name",
      },
    ],
  },
  {
    title: "Maintenance window",
    isAdvanced: true,
    settings: [
      { path: "gcp.maintenanceWindow.start", label: "Start (UTC)", input: "text", placeholder: "03:00" },
      {
        path: "gcp.maintenanceWindow.days",
        label: "Days",
        input: "choices",
        options: ["MO", "TU", "WE", "TH", "FR", "SA", "SU"],
        description: "Leave empty to allow every day",
      },
      {
        path: "gcp.maintenanceWindow.durationHours",
        label: "Duration in hours",
        input: "number",
        min: 4,
        max: 24,
        placeholder: "4",
      },
    ],
  },
  {
    title: "Logs and metrics",
    isAdvanced: true,
    settings: [
      {
        path: "gcp.logTypes",
        label: "Logs",
        input: "choices",
        options: logTypes,
        description: "Leave empty to collect system and workload logs",
      },
      {
        path: "gcp.monitoring",
        label: "Metrics",
        input: "choices",
        options: metrics,
        description: "Leave empty to collect only system metrics",
      },
      { path: "gcp.managedPrometheus", label: "Managed Service for Prometheus", input: "switch" },
    ],
  },
  {
    title: "Encryption and identities",
    isAdvanced: true,
    settings: [
      {
        path: "gcp.createKmsKey",
        label: "Create a KMS key for Kubernetes secrets",
        input: "switch",
        description: "The key ring stays in the project after the cluster is deleted",
      },
      {
        path: "gcp.kmsKey",
        label: "Existing KMS key for Kubernetes secrets",
        input: "text",
        placeholder: "projects/…/locations/…/keyRings/…/cryptoKeys/…",
      },
      { path: "gcp.nodeDiskKmsKey", label: "KMS key for node disks", input: "text" },
      {
        path: "gcp.nodeServiceAccount",
        label: "Service account for the nodes",
        input: "text",
        description: "Leave empty to create a service account with the minimum roles",
      },
      {
        path: "gcp.securityGroup",
        label: "Google group for RBAC",
        input: "text",
        placeholder: "gke-security-groups@example.com",
      },
      {
        path: "gcp.controlPlaneCidr",
        label: "Range of the control plane",
        input: "text",
        description: "A /28 that nothing else uses. Leave empty to let GKE choose.",
        placeholder: "172.16.0.0/28",
      },
      { path: "gcp.gatewayApi", label: "Gateway API", input: "switch", isOn: true },
    ],
  },
  {
    title: "Provisioner",
    isAdvanced: true,
    settings: [
      {
        path: "provisioner",
        label: "Built by",
        input: "choice",
        usual: "Terraform (default)",
        options: [["direct", "Google Cloud's own API, without Terraform"]],
        description: "Cannot be changed later. Without Terraform, KMS keys and some other settings are not available.",
      },
    ],
  },
  deletionSettings,
];
