import { trimEnd } from "@cloudwright/platform/trim-end";
import { refuseRequest } from "../../library/errors.ts";
import type { AzureContext } from "./context.ts";

/** The subscription, resource group and name of a resource. */
export interface AzurePlace {
  readonly subscriptionId: string;
  readonly resourceGroup: string;
  readonly name: string;
}

/** A reference that a caller passed. `isExact` is false for a plain name, which may belong to any resource group. */
export interface AzureReference extends AzurePlace {
  readonly isExact: boolean;
}

/** The kind of resource that a reference may name. */
export interface ReferenceKind {
  /** How messages refer to the kind, with its article: `an AKS cluster`. */
  readonly title: string;
  /** Azure's type, such as `Microsoft.Compute/virtualMachines`. */
  readonly type: string;
  readonly namePattern: RegExp;
  /** Completes the message "a name has ...". */
  readonly nameRule: string;
}

const groupPattern = /^[\p{L}\p{N}_().-]{0,89}[\p{L}\p{N}_()-]$/u;
const subscriptionPattern = /^[\w-]{1,64}$/;

/**
 * Reads a name, `RESOURCE_GROUP/NAME` or an ARM ID. IDs may be spelled in any case and may be part of a URL, as in Azure's portal. Throws
 * `clouds.invalid` for anything else.
 */
export function readReference({ options }: Pick<AzureContext, "options">, kind: ReferenceKind, ref: string): AzureReference {
  const refuse = (): never => {
    const message = `"${ref}" is neither the name of ${kind.title}, RESOURCE_GROUP/NAME nor an ARM ID; a name has ${kind.nameRule}`;
    throw refuseRequest("azure", message);
  };
  const { subscriptionId, resourceGroup } = options;
  const start = ref.toLowerCase().indexOf("/subscriptions/");
  if (start >= 0) {
    const [namespace = "", type = ""] = kind.type.split("/");
    const parts = trimEnd(ref.slice(start), "/").split("/");
    const [, , subscription = "", groups = "", group = "", providers = "", space = "", found = "", name = ""] = parts;
    const isExpected =
      [groups, providers, space, found].join("/").toLowerCase() ===
      ["resourcegroups", "providers", namespace, type].join("/").toLowerCase();
    if (parts.length !== 9 || !isExpected || !subscriptionPattern.test(subscription)) return refuse();
    if (!groupPattern.test(group) || !kind.namePattern.test(name)) return refuse();
    return { subscriptionId: subscription, resourceGroup: group, name, isExact: true };
  }
  const [first = "", second, ...more] = ref.split("/");
  const [group, name] = second === undefined ? [resourceGroup, first] : [first, second];
  if (more.length > 0 || !groupPattern.test(group) || !kind.namePattern.test(name)) return refuse();
  return { subscriptionId, resourceGroup: group, name, isExact: second !== undefined };
}

/** Renders an ARM ID. */
export function renderId({ subscriptionId, resourceGroup, name }: AzurePlace, type: string): string {
  return `/subscriptions/${subscriptionId}/resourceGroups/${resourceGroup}/providers/${type}/${name}`;
}

export const clusterKind: ReferenceKind = {
  title: "an AKS cluster",
  type: "Microsoft.ContainerService/managedClusters",
  namePattern: /^[a-z0-9]([\w-]{0,61}[a-z0-9])?$/i,
  nameRule: "at most 63 letters, digits, - and _, and starts and ends with a letter or digit",
};

export const machineKind: ReferenceKind = {
  title: "a virtual machine",
  type: "Microsoft.Compute/virtualMachines",
  namePattern: /^[a-z0-9]([\w.-]{0,62}[a-z0-9_])?$/i,
  nameRule: "at most 64 letters, digits, ., - and _, and starts with a letter or digit",
};

const poolPattern = /^[a-z][a-z0-9]{0,11}$/;

/** Reads an agent pool's name or ARM ID. Throws `clouds.invalid` if the ID belongs to another cluster. */
export function readPoolName(place: AzurePlace, ref: string): string {
  const [, parent, name = ref] = /^(\/subscriptions\/.+)\/agentPools\/([^/]+)\/?$/i.exec(ref) ?? [];
  if (parent !== undefined && parent.toLowerCase() !== renderId(place, clusterKind.type).toLowerCase())
    throw refuseRequest("azure", `the agent pool ${ref} does not belong to the cluster ${place.name}`);
  if (poolPattern.test(name)) return name;
  const rule = "a name has at most 12 lower-case letters and digits, and starts with a letter";
  throw refuseRequest("azure", `"${ref}" is not the name of an AKS agent pool; ${rule}`);
}

/** Returns the number of a zone. Zones are written as `1` or, as on nodes, `eastus-1`. */
export function readZone(zone: string): string {
  const [, digits] = /^(?:[a-z0-9]+-)?(\d)$/.exec(zone) ?? [];
  if (digits !== undefined) return digits;
  throw refuseRequest("azure", `"${zone}" is not a zone; use a number such as 1, or a form such as eastus-1`);
}
