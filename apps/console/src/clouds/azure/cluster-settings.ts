import { deletionSettings, endpointSettings, rangeSettings } from "../../kinds/cluster/settings.ts";
import type { Option, SettingGroup } from "../../settings/setting.ts";

const days: readonly Option[] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"].map((day) => [
  day.toLowerCase(),
  day,
]);

export const azureClusterSettings: readonly SettingGroup[] = [
  {
    title: "AKS control plane",
    settings: [
      {
        path: "azure.tier",
        label: "Tier",
        input: "choice",
        usual: "Standard (default)",
        options: [
          ["free", "Free: no uptime guarantee"],
          ["premium", "Premium"],
        ],
      },
      ...endpointSettings,
      {
        path: "azure.entra",
        label: "Microsoft Entra ID",
        input: "section",
        description: "Users sign in with Entra ID. Cannot be turned off later.",
      },
      {
        path: "azure.entra.adminGroupIds",
        label: "Administrator groups",
        input: "list",
        description: "Object ids",
        needs: "azure.entra",
      },
      {
        path: "azure.localAccounts",
        label: "Local accounts",
        input: "switch",
        isOn: true,
        description: "Access with the cluster's own certificate. Can be turned off only if Entra ID is on.",
      },
    ],
  },
  {
    title: "Upgrades and maintenance",
    isAdvanced: true,
    settings: [
      {
        path: "azure.upgradeChannel",
        label: "Automatic Kubernetes upgrades",
        input: "choice",
        usual: "None (default)",
        options: [
          ["patch", "Patch versions"],
          ["stable", "Stable: patch and minor versions"],
          ["rapid", "Rapid: newest minor versions"],
          ["node-image", "Only node images"],
        ],
      },
      {
        path: "azure.nodeOsUpgradeChannel",
        label: "Automatic operating system updates for nodes",
        input: "choice",
        usual: "Node images (default)",
        options: [
          ["security-patch", "Security patches"],
          ["unmanaged", "Unmanaged"],
          ["none", "None"],
        ],
      },
      {
        path: "azure.maintenanceWindow.day",
        label: "Day of the maintenance window",
        input: "choice",
        usual: "Any time (default)",
        options: days,
      },
      {
        path: "azure.maintenanceWindow.start",
        label: "Start (UTC)",
        input: "text",
        placeholder: "02:00",
        needs: "azure.maintenanceWindow.day",
      },
      {
        path: "azure.maintenanceWindow.hours",
        label: "Duration in hours",
        input: "number",
        min: 4,
        max: 24,
        needs: "azure.maintenanceWindow.day",
      },
      {
        path: "azure.longTermSupport",
        label: "Long-term support",
        input: "switch",
        description: "Two years of support for the Kubernetes version. Requires the premium tier.",
      },
    ],
  },
  {
    title: "Networking and resource group",
    isAdvanced: true,
    settings: [
      {
        path: "azure.podNetwork",
        label: "Pod addresses",
        input: "choice",
        usual: "Pod subnet, if there is one (default)",
        options: [
          ["overlay", "Overlay network"],
          ["subnet", "Pod subnet"],
        ],
      },
      {
        path: "azure.outbound",
        label: "Outbound traffic of nodes",
        input: "choice",
        usual: "Derived from the network (default)",
        options: [
          ["nat-gateway", "NAT gateway"],
          ["load-balancer", "Load balancer"],
          ["user-defined-routing", "User-defined routing"],
        ],
      },
      ...rangeSettings("192.168.0.0/16", "10.96.0.0/12"),
      {
        path: "azure.resourceGroup",
        label: "Resource group",
        input: "text",
        description: "An existing group. Leave empty to create a group that is deleted with the cluster.",
      },
    ],
  },
  {
    title: "Encryption, identities and monitoring",
    isAdvanced: true,
    settings: [
      {
        path: "azure.keyVaultKeyId",
        label: "Key Vault key for Kubernetes secrets",
        input: "text",
        description: "Leave empty to create a vault with a key",
        placeholder: "https://main.vault.azure.net/keys/secrets/…",
      },
      {
        path: "azure.keyVaultId",
        label: "Vault that contains the key",
        input: "text",
        description: "If set, the cluster's identity gets access to the keys in this vault",
        needs: "azure.keyVaultKeyId",
      },
      {
        path: "azure.purgeProtection",
        label: "Purge protection for the created vault",
        input: "switch",
        description: "Cannot be turned off later",
      },
      { path: "azure.diskEncryptionSetId", label: "Disk encryption set for nodes", input: "text" },
      { path: "azure.hostEncryption", label: "Encryption at host", input: "switch" },
      {
        path: "azure.clusterIdentityId",
        label: "Identity of the control plane",
        input: "text",
        description: "Leave empty to create an identity",
      },
      {
        path: "azure.kubeletIdentityId",
        label: "Identity of the nodes",
        input: "text",
        description: "Leave empty to create an identity",
      },
      {
        path: "azure.containerRegistryIds",
        label: "Container registries",
        input: "list",
        description: "Registries from which nodes may pull images",
      },
      { path: "azure.logAnalyticsWorkspaceId", label: "Log Analytics workspace", input: "text" },
      { path: "azure.managedPrometheus", label: "Managed Prometheus", input: "switch" },
      {
        path: "azure.imageCleaner",
        label: "Image cleaner",
        input: "switch",
        isOn: true,
        description: "Removes unused images from nodes once a week",
      },
    ],
  },
  deletionSettings,
];
