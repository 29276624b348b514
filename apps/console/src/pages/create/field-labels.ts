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
    "spec.nat": "Way to the internet",
    "spec.cidr": "Range",
    "spec.zones": "Zones",
  },
  Cluster: {
    "spec.network": "Network",
    "spec.version": "Kubernetes version",
    "spec.workers": "Workers",
    "spec.instanceType": "Machine type",
    "spec.infra.approval": "Approval",
  },
  NodePool: {
    "spec.instanceType": "Machine type",
    "spec.min": "Least",
    "spec.desired": "Wanted",
    "spec.max": "Most",
    "spec.capacity": "Capacity",
  },
  Storage: { "spec.cluster": "Cluster", "spec.volume.sizeGib": "Size in GiB" },
};

/** What the form of a kind calls a field of its entity; undefined where it has none. */
export function labelField(kind: CreatableKind, field: string): string | undefined {
  return own[kind]?.[field] ?? shared[field];
}

/** Where a form has the field that something is about. */
export function placeField(field: string): string {
  return field === "account" ? "spec.account" : field;
}
