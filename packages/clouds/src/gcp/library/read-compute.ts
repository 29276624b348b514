import { createCloudFault } from "../../library/errors.ts";
import type { InstanceInfo } from "../../library/instances.ts";
import { toStatus } from "../../library/statuses.ts";
import type { Disk, Instance } from "../models.ts";
import { lastPart } from "../resource-names.ts";
import { instanceStatuses } from "../statuses.ts";
import type { GcpContext } from "./context.ts";
import { imageKey, userKey } from "./instance-metadata.ts";
import { toTags } from "./labels.ts";
import { regionOf } from "./places.ts";
import { pathOf } from "./references.ts";

/** The location of an instance. */
export interface InstancePlace {
  readonly project: string;
  readonly zone: string;
  readonly name: string;
}

/** An instance as Compute Engine reports it. */
export interface FoundInstance {
  readonly place: InstancePlace;
  readonly instance: Instance;
}

export function pathOfInstance({ project, zone, name }: InstancePlace): string {
  return `projects/${project}/zones/${zone}/instances/${name}`;
}

export async function findInstance(
  { api }: GcpContext,
  place: InstancePlace,
  signal: AbortSignal | undefined,
): Promise<Instance | undefined> {
  return api.find<Instance>(`read the instance ${place.name} in ${place.zone}`, {
    service: "compute",
    action: "instances.get",
    path: pathOfInstance(place),
    signal,
  });
}

interface Scope {
  readonly instances?: readonly Instance[];
  readonly warning?: { readonly code?: string };
}

interface InstancePage {
  readonly items?: Readonly<Record<string, Scope>>;
  readonly unreachables?: readonly string[];
}

export interface InstanceQuery {
  readonly name?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly region?: string;
  /** Whether every zone must respond. */
  readonly isComplete?: boolean;
}

/** Finds instances in all zones, by name or labels. Throws `clouds.unavailable` if a required zone did not respond. */
export async function findInstances(
  { api, project }: GcpContext,
  { name, labels = {}, region, isComplete = false }: InstanceQuery,
  signal: AbortSignal | undefined,
): Promise<readonly FoundInstance[]> {
  const conditions = [
    ...(name === undefined ? [] : [`name = "${name}"`]),
    ...Object.entries(labels).map(([key, value]) => `labels.${key} = "${value}"`),
  ];
  const filter = conditions.length > 1 ? conditions.map((condition) => `(${condition})`).join(" AND ") : (conditions[0] ?? "");
  const pages = await api.listPages<InstancePage>("list the instances", {
    service: "compute",
    action: "instances.aggregatedList",
    path: `projects/${project}/aggregated/instances`,
    ...(filter === "" ? {} : { query: { filter } }),
    signal,
  });
  const silent = pages.flatMap(({ items = {}, unreachables = [] }) => [
    ...unreachables.map(lastPart),
    ...Object.entries(items).flatMap(([scope, { warning }]) => (warning?.code === "UNREACHABLE" ? [lastPart(scope)] : [])),
  ]);
  const found = pages
    .flatMap(({ items = {} }) => Object.values(items).flatMap(({ instances = [] }) => instances))
    .map((instance) => ({ instance, place: { project, zone: lastPart(instance.zone), name: instance.name ?? "" } }))
    .filter(({ place }) => region === undefined || regionOf(place.zone) === region);
  const missing = silent.filter((zone) => region === undefined || regionOf(zone) === region);
  // An instance in a zone that does not respond must not be mistaken for a missing one.
  if (missing.length > 0 && (isComplete || (name === undefined ? region !== undefined : found.length === 0)))
    throw createCloudFault(`Google Cloud could not list the instances: ${missing.join(", ")} did not respond`, {
      cloud: "gcp",
      category: "unavailable",
    });
  return found;
}

export function toInstanceInfo({ place, instance }: FoundInstance): InstanceInfo {
  const { status = "", statusMessage = "", machineType, networkInterfaces = [], metadata, creationTimestamp } = instance;
  const [first] = networkInterfaces;
  const publicAddress = first?.accessConfigs
    ?.map(({ natIP }) => natIP)
    .find((address) => address !== undefined && address !== "");
  const items = new Map((metadata?.items ?? []).map(({ key = "", value = "" }) => [key, value]));
  return {
    id: pathOfInstance(place),
    name: place.name,
    cloud: "gcp",
    region: regionOf(place.zone),
    zone: place.zone,
    status: toStatus(instanceStatuses, status),
    nativeStatus: status,
    ...(statusMessage === "" ? {} : { statusReason: statusMessage }),
    type: lastPart(machineType),
    image: items.get(imageKey) ?? "",
    ...(first?.networkIP === undefined ? {} : { privateAddress: first.networkIP }),
    ...(publicAddress === undefined ? {} : { publicAddress }),
    user: items.get(userKey) ?? "",
    tags: toTags(instance.labels ?? {}),
    ...(creationTimestamp === undefined ? {} : { createdAt: new Date(creationTimestamp) }),
  };
}

/** Reads an instance. The image of an instance that the library did not create is read from its boot disk. */
export async function readInstance(
  context: GcpContext,
  place: InstancePlace,
  signal: AbortSignal | undefined,
): Promise<InstanceInfo | undefined> {
  const instance = await findInstance(context, place, signal);
  if (instance === undefined) return undefined;
  const info = toInstanceInfo({ place, instance });
  const source = instance.disks?.find(({ boot }) => boot === true)?.source;
  if (info.image !== "" || source === undefined) return info;
  const disk = await context.api.find<Disk>(`read the boot disk of the instance ${place.name}`, {
    service: "compute",
    action: "disks.get",
    path: pathOf(source),
    signal,
  });
  return { ...info, image: pathOf(disk?.sourceImage ?? "") };
}
