import type { CloudPart, DirectRun } from "@cloudwright/clouds";
import { createClaims } from "./claim.ts";
import { createPart, type HostResources } from "./create-part.ts";
import { createInstances } from "./instance.ts";
import { createNetworks } from "./network.ts";
import type { OpenedHost } from "./open-host.ts";
import { createSecurityGroups } from "./security-group.ts";
import { createVolumes } from "./volume.ts";
import { createVolumeSnapshots } from "./volume-snapshot.ts";

type CreateResources = (opened: OpenedHost, log: (line: string) => void) => HostResources;

/** The resource types of a host. Each one comes before those that refer to it. */
const types: readonly CreateResources[] = [
  createNetworks,
  createSecurityGroups,
  createInstances,
  createVolumes,
  createVolumeSnapshots,
];

/** Opens the parts of a host for one entity, keyed by the names of their resource types. */
export function openParts(
  opened: OpenedHost,
  entityUid: string,
  { log = () => undefined, machine }: Pick<DirectRun, "log" | "machine"> = {},
): ReadonlyMap<string, CloudPart> {
  const parts = [...types.map((create) => createPart(entityUid, create(opened, log))), createClaims(machine)];
  return new Map(parts.map((part) => [part.name, part]));
}
