import type { CreatableKind } from "./creatable.ts";

const shared: Readonly<Record<string, string>> = {
  "metadata.name": "Name",
  "metadata.environment": "Environment",
  "metadata.labels": "Labels",
};

const own: Readonly<Partial<Record<CreatableKind, Readonly<Record<string, string>>>>> = {
  Network: {
    account: "Account",
    "spec.account": "Account",
    "spec.region": "Region",
    "spec.nat": "Egress",
    "spec.cidr": "Address range",
    "spec.zones": "Zones",
  },
  Cluster: {
    "spec.network": "Network",
    "spec.version": "Kubernetes version",
    "spec.workers": "Workers",
    "spec.instanceType": "Machine type",
    "spec.infra.approval": "Approval required",
  },
  NodePool: {
    "spec.instanceType": "Machine type",
    "spec.min": "Minimum",
    "spec.desired": "Desired",
    "spec.max": "Maximum",
    "spec.capacity": "Capacity",
  },
  Storage: { "spec.cluster": "Cluster", "spec.volume.sizeGib": "Size in GiB" },
};

/** Returns the label of an entity's field in the form of its kind, or undefined if the form has no such field. */
export function labelField(kind: CreatableKind, field: string): string | undefined {
  return own[kind]?.[field] ?? shared[field];
}

/** Returns the form field that a finding's field belongs to. */
export function placeField(field: string): string {
  return field === "account" ? "spec.account" : field;
}
