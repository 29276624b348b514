import type { QuotaName } from "../cloud/quotas.ts";
import { renderPath } from "../cloud/render-path.ts";
import type { CloudRecord } from "../inventory/inventory.ts";
import type { Change, HookContext, Problem, ResourceHooks, SideEffects } from "../provider/definition.ts";
import type { Value, ValueMap } from "../values/value.ts";
import type { Place } from "./place.ts";
import { refuseMissing, type Refusal } from "./refusal.ts";

/** A reference from one resource to another. */
export interface Reference {
  /** The attribute path, such as `node_config.service_account`. */
  readonly path: string;
  /** The resource types that the reference may point to. */
  readonly to: readonly string[];
  /** Returns the error for a missing target. If omitted, targets are not checked. */
  readonly missing?: (id: string) => Refusal;
  /** How the reference affects the deletion of its target. `holds` blocks it, and `follows` deletes the referring resource too. */
  readonly tie: "holds" | "follows" | "none";
  /**
   * Converts an attribute value into the record id of its target. The value may be a name, an id or a self link. Returns undefined if there
   * is no target.
   */
  readonly idOf?: (written: string, place: Place) => string | undefined;
}

/** A quota on resources that share the value of an attribute, such as addresses per region. `within` names the attribute. */
export interface Limit {
  readonly quota: QuotaName;
  readonly within: "" | "region" | "location" | "cluster";
  readonly refusal: (limit: number, place: Place) => Refusal;
  /** Returns whether a resource counts against the quota. */
  readonly counts?: (attributes: ValueMap) => boolean;
}

/** The behaviour specific to one Google Cloud resource type. */
export interface GcpResource extends Pick<
  ResourceHooks,
  "forceNew" | "defaults" | "recompute" | "computedBlocks" | "listReplacements" | "isRepeatable"
> {
  /** The type's name in the provider's error messages, such as `Subnetwork`. */
  readonly noun: string;
  /**
   * Template of the resource id. Changing an attribute that appears in the template replaces the resource. Project, region and zone default
   * to the provider's.
   */
  readonly path: string;
  /** Path of the API, including its version, relative to `https://www.googleapis.com/`. Default: `compute/v1`. */
  readonly api?: string;
  readonly names?: readonly Reference[];
  readonly limits?: readonly Limit[];
  /** Returns the error for a deletion that another resource blocks. */
  readonly held?: (id: string, holder: CloudRecord) => Refusal;
  /** Duration of each operation, in simulated seconds. */
  readonly takes?: Readonly<Partial<Record<Change["operation"], number>>>;
  validate?(config: ValueMap): readonly Problem[];
  check?(change: GcpChange, context: HookContext): Promise<readonly Refusal[]> | readonly Refusal[];
  compute?(change: GcpChange, context: HookContext): Promise<Readonly<Record<string, Value>>> | Readonly<Record<string, Value>>;
  /** Returns the changes that Google Cloud makes to other records along with this one. */
  sideEffects?(change: GcpChange, context: HookContext): Promise<SideEffects> | SideEffects;
  /** Returns the attributes that Google Cloud reports. If the hook is omitted, Google Cloud reports the stored attributes. */
  read?(record: CloudRecord, context: HookContext): Promise<ValueMap> | ValueMap;
}

/** The behaviour of Google Cloud resource types, keyed by type name. */
export type GcpResources = Readonly<Record<string, GcpResource>>;

/** A change, and the project, region and zone it applies to. `planned` is empty for a deletion, `prior` for a creation. */
export interface GcpChange {
  readonly operation: Change["operation"];
  readonly id: string;
  readonly prior: ValueMap;
  readonly planned: ValueMap;
  readonly config: ValueMap;
  readonly place: Place;
}

/** Pattern for resource names in Compute Engine. */
export const computeName = "(?:[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?)";

/** Id templates of the resources that other resources refer to. */
export const paths = {
  network: "projects/{project}/global/networks/{name}",
  subnetwork: "projects/{project}/regions/{region}/subnetworks/{name}",
  router: "projects/{project}/regions/{region}/routers/{name}",
  address: "projects/{project}/regions/{region}/addresses/{name}",
  disk: "projects/{project}/zones/{zone}/disks/{name}",
} as const;

/** Converts a self link into an id by removing the API's address. Returns an id unchanged, and undefined for a plain name. */
export function toId(written: string): string | undefined {
  return /(?:^|\/)(projects\/.+)$/.exec(written)?.[1];
}

/** Returns a function that converts a name, an id or a self link into an id. `path` is the template for ids. */
export function idIn(path: string): (written: string, place: Place) => string {
  return (written, place) => toId(written) ?? renderPath(path, { ...place, name: written });
}

/** Creates a reference to a network. The network cannot be deleted while the referring resource exists. */
export function inNetwork(path = "network"): Reference {
  const idOf = idIn(paths.network);
  return { path, to: ["google_compute_network"], missing: refuseMissing, tie: "holds", idOf };
}

/** Creates a reference to a subnet. The subnet cannot be deleted while the referring resource exists. */
export function inSubnetwork(path = "subnetwork"): Reference {
  const idOf = idIn(paths.subnetwork);
  return { path, to: ["google_compute_subnetwork"], missing: refuseMissing, tie: "holds", idOf };
}
