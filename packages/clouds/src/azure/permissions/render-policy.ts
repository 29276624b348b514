import type { PermissionPolicy } from "../../permission-policy.ts";
import { azureFeatures, listActions, listDataActions, type AzureFeature } from "./features.ts";

/** A custom role, in the form that `az role definition create --role-definition` reads. */
export interface CustomRole {
  readonly Name: string;
  readonly IsCustom: true;
  readonly Description: string;
  readonly Actions: readonly string[];
  readonly NotActions: readonly string[];
  readonly DataActions: readonly string[];
  readonly NotDataActions: readonly string[];
  readonly AssignableScopes: readonly string[];
}

/** Placeholder that the user replaces. A custom role must name the subscriptions or resource groups in which it can be assigned. */
const scope = "/subscriptions/SUBSCRIPTION_ID";

/** Renders the smallest custom role that allows the given features. */
export function renderRole(features: readonly AzureFeature[] = azureFeatures): CustomRole {
  const collect = (list: (feature: AzureFeature) => readonly string[]): string[] =>
    [...new Set(features.flatMap((feature) => list(feature)))].toSorted();
  const isWhole = features.length === azureFeatures.length;
  return {
    Name: isWhole ? "Cloudwright" : `Cloudwright ${features.join(" and ")}`,
    IsCustom: true,
    Description: `What Cloudwright needs to manage these features: ${features.join(", ")}.`,
    Actions: collect(listActions),
    NotActions: [],
    DataActions: collect(listDataActions),
    NotDataActions: [],
    AssignableScopes: [scope],
  };
}

/** Roles that the configurations assign to the identities of clusters and storage accounts. */
const assigned = [
  "Network Contributor",
  "Private DNS Zone Contributor",
  "Managed Identity Operator",
  "Key Vault Crypto User",
  "Key Vault Crypto Service Encryption User",
];

export const azurePolicy: PermissionPolicy = {
  features: azureFeatures,
  render: (features = []) => ({ ...renderRole(features.length === 0 ? azureFeatures : features.filter(isFeature)) }),
  findWarning(document) {
    const { Actions = [] } = document as Partial<CustomRole>;
    const todo = "replace SUBSCRIPTION_ID in AssignableScopes";
    if (!Actions.includes("Microsoft.Authorization/roleAssignments/write")) return todo;
    return `${todo}. The role can assign roles: restrict this with a condition on its assignment that allows only ${assigned.join(", ")}`;
  },
};

function isFeature(feature: string): feature is AzureFeature {
  return azureFeatures.some((known) => known === feature);
}
