import type { PermissionPolicy } from "../../permission-policy.ts";
import { gcpFeatures, listPermissions, type GcpFeature } from "./features.ts";

/** A custom role in the form that `gcloud iam roles create --file` reads. */
export interface CustomRole {
  readonly title: string;
  readonly description: string;
  readonly stage: "GA";
  readonly includedPermissions: readonly string[];
}

/** Renders the smallest custom role that allows the given features. */
export function renderRole(features: readonly GcpFeature[] = gcpFeatures): CustomRole {
  return {
    title: `Cloudwright ${features.join(", ")}`,
    description: "Permissions that the platform needs in this project",
    stage: "GA",
    includedPermissions: [...new Set(features.flatMap((feature) => listPermissions(feature)))].toSorted(),
  };
}

/**
 * Google Cloud's limits for a custom role: the number of permissions, and the total number of characters in its title, description and
 * permissions.
 */
const limits = { permissions: 3000, characters: 64 * 1024 };

export const gcpPolicy: PermissionPolicy = {
  features: gcpFeatures,
  render: (features = []) => ({ ...renderRole(features.length === 0 ? gcpFeatures : features.filter(isFeature)) }),
  findWarning(document) {
    const { title, description, includedPermissions: permissions } = document as unknown as CustomRole;
    const characters = [title, description, ...permissions].join("").length;
    if (permissions.length <= limits.permissions && characters <= limits.characters) return undefined;
    const size = `the role has ${permissions.length} permissions and ${characters} characters; Google Cloud allows ${limits.permissions} and ${limits.characters}`;
    return `${size}. Use --split FOLDER to write one role per feature, or --feature to print one: ${gcpFeatures.join(", ")}`;
  },
};

function isFeature(feature: string): feature is GcpFeature {
  return gcpFeatures.some((known) => known === feature);
}
