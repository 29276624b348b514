import { deletionSettings, endpointSettings } from "../../kinds/cluster/settings.ts";
import type { SettingGroup } from "../../settings/setting.ts";

const logTypes = ["api", "audit", "authenticator", "controllerManager", "scheduler", "none"];

export const awsClusterSettings: readonly SettingGroup[] = [
  {
    title: "EKS control plane",
    settings: [
      ...endpointSettings,
      {
        path: "aws.logTypes",
        label: "Control plane logs",
        input: "choices",
        options: logTypes,
        description: "Leave empty to log api, audit and authenticator",
      },
      {
        path: "aws.deletionProtection",
        label: "Deletion protection",
        input: "switch",
        isOn: true,
        description: "EKS rejects deletions that bypass the platform",
      },
    ],
  },
  {
    title: "Version support and logs",
    isAdvanced: true,
    settings: [
      {
        path: "aws.support",
        label: "When standard support for the version ends",
        input: "choice",
        usual: "Standard: AWS upgrades the cluster (default)",
        options: [["extended", "Extended: keep the version, at extra cost"]],
      },
      {
        path: "aws.logRetentionDays",
        label: "Log retention in days",
        input: "number",
        max: 3653,
        description: "0 keeps logs forever",
        placeholder: "90",
      },
      { path: "networking.serviceCidr", label: "Range for Services", input: "text", placeholder: "10.96.0.0/12" },
      {
        path: "aws.karpenter.enabled",
        label: "Karpenter",
        input: "switch",
        description: "Adds and removes nodes to match the resource requests of pods",
      },
    ],
  },
  {
    title: "Encryption and roles",
    isAdvanced: true,
    settings: [
      {
        path: "aws.kmsKeyArn",
        label: "KMS key for Kubernetes secrets",
        input: "text",
        description: "Leave empty to create a key",
        placeholder: "arn:aws:kms:eu-west-1:123456789012:key/…",
      },
      { path: "aws.nodeVolumeKmsKeyArn", label: "KMS key for node disks", input: "text" },
      { path: "aws.eksRoleArn", label: "Control plane role", input: "text", description: "Leave empty to create a role" },
      { path: "aws.nodeRoleArn", label: "Node role", input: "text", description: "Leave empty to create a role" },
      { path: "aws.permissionsBoundaryArn", label: "Permissions boundary for created roles", input: "text" },
      { path: "aws.rolePath", label: "Path for created roles", input: "text", placeholder: "/" },
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
        options: [["direct", "Direct AWS API calls, without Terraform"]],
        description: "Cannot be changed later. Without Terraform, EKS add-ons and some other settings are not available.",
      },
    ],
  },
  deletionSettings,
];
