import { createCloudFault, refuseRequest } from "../../library/errors.ts";
import { ownerTag } from "../../account-view.ts";
import type { Disk } from "../models.ts";
import { lastPart } from "../resource-names.ts";
import type { GcpContext } from "./context.ts";
import { renderLabels } from "./labels.ts";

/** Checks a disk's path, such as `projects/p/zones/z/disks/d`, and returns it. Throws `clouds.invalid` for anything else. */
export function readDiskId(id: string): string {
  if (/^projects\/[^/]+\/zones\/[a-z][a-z0-9-]*\/disks\/[a-z][-a-z0-9]{0,62}$/.test(id)) return id;
  throw refuseRequest("gcp", `"${id}" is not a disk's ID; use projects/p/zones/z/disks/d`);
}

export async function findDisk({ api }: GcpContext, path: string, signal: AbortSignal): Promise<Disk | undefined> {
  return api.find<Disk>(`read the disk ${lastPart(path)}`, { service: "compute", action: "disks.get", path, signal });
}

interface DiskPage {
  readonly items?: Readonly<Record<string, { readonly disks?: readonly Disk[]; readonly warning?: { readonly code?: string } }>>;
  readonly unreachables?: readonly string[];
}

/** Finds the zonal disks of an entity in all zones. Throws `clouds.unavailable` if a zone did not respond. */
export async function findDisks({ api, project }: GcpContext, entityUid: string, signal: AbortSignal): Promise<readonly Disk[]> {
  const [[key, value] = []] = Object.entries(renderLabels({ [ownerTag]: entityUid }));
  const pages = await api.listPages<DiskPage>("list the disks", {
    service: "compute",
    action: "disks.aggregatedList",
    path: `projects/${project}/aggregated/disks`,
    query: { filter: `labels.${key} = "${value}"` },
    signal,
  });
  const silent = pages.flatMap(({ items = {}, unreachables = [] }) => [
    ...unreachables.map(lastPart),
    ...Object.entries(items).flatMap(([scope, { warning }]) => (warning?.code === "UNREACHABLE" ? [lastPart(scope)] : [])),
  ]);
  // A disk in a zone that does not respond must not be mistaken for a missing one.
  if (silent.length > 0)
    throw createCloudFault(`Google Cloud could not list the disks: ${silent.join(", ")} did not respond`, {
      cloud: "gcp",
      category: "unavailable",
    });
  const disks = pages.flatMap(({ items = {} }) => Object.values(items).flatMap(({ disks: some = [] }) => some));
  return disks.filter(({ zone }) => zone !== undefined);
}
