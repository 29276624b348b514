import { createHash } from "node:crypto";
import type { WaitOptions } from "../../library/call-options.ts";
import { createCloudFault, isCloudFault } from "../../library/errors.ts";
import { waitFor } from "../../library/wait-for.ts";
import { describeStatusReason } from "../errors.ts";
import type { Disk, NetworkInterface, PublicIPAddress } from "../models.ts";
import { operations, type Operation } from "../operations.ts";
import { tokenTag, type AzureContext } from "./context.ts";
import { deleteResource } from "./delete-resource.ts";
import { libraryOperations } from "./operations.ts";
import type { AzurePlace } from "./references.ts";

/** Tag on the network interface and the public address that belong to a machine. The value is the machine's name. */
const machineTag = "cloudwright:instance";

/** The additional resources that the library creates for a machine. */
type PartKind = "interface" | "address";

interface PartOperations {
  readonly title: string;
  readonly get: Operation;
  readonly put: Operation;
  readonly remove: Operation;
  readonly parameter: string;
  readonly suffix: string;
}

const kinds: Readonly<Record<PartKind, PartOperations>> = {
  interface: {
    title: "network interface",
    get: libraryOperations.getInterface,
    put: libraryOperations.putInterface,
    remove: libraryOperations.deleteInterface,
    parameter: "networkInterfaceName",
    suffix: "-nic",
  },
  address: {
    title: "public address",
    get: libraryOperations.getAddress,
    put: libraryOperations.putAddress,
    remove: libraryOperations.deleteAddress,
    parameter: "publicIpAddressName",
    suffix: "-ip",
  },
};

type Part = NetworkInterface & PublicIPAddress;
type Limits = WaitOptions & { readonly timeoutMs: number };

/** Returns the ARM ID of a machine's network interface or public address. */
export function partId({ subscriptionId, resourceGroup, name }: AzurePlace, kind: PartKind): string {
  const type = kind === "interface" ? "networkInterfaces" : "publicIPAddresses";
  return `/subscriptions/${subscriptionId}/resourceGroups/${resourceGroup}/providers/Microsoft.Network/${type}/${name}${kinds[kind].suffix}`;
}

/** Returns the name of a machine's disk. The name is unique to the call that creates the machine, so that no other disk can have it. */
export function diskName({ name }: AzurePlace, token: string): string {
  return `${name}-os-${createHash("sha256").update(token).digest("hex").slice(0, 10)}`;
}

/**
 * Creates a machine's network interface or public address, and waits until it is usable. Azure's network API has no conditional PUT, so the
 * name is looked up first. Throws `clouds.conflict` if the name is taken by something that this call did not create.
 */
export async function ensurePart(
  context: AzureContext,
  place: AzurePlace,
  kind: PartKind,
  { token, tags, body }: { readonly token: string; readonly tags: Readonly<Record<string, string>>; readonly body: object },
  limits: Limits,
): Promise<void> {
  const { api, clock } = context;
  const { title, put } = kinds[kind];
  const what = `the ${title} ${place.name}${kinds[kind].suffix}`;
  const { signal } = limits;
  const find = async (): Promise<Part | undefined> => {
    const found = await findPart(context, place, kind, signal);
    if (found === undefined || found.tags?.[tokenTag] === token) return found;
    const isLeft = found.tags?.[machineTag]?.toLowerCase() === place.name.toLowerCase();
    const hint = isLeft ? `; terminate ${place.name} to remove what an interrupted call left behind` : "";
    const message = `${what} already exists, and this call did not create it${hint}`;
    throw createCloudFault(message, { cloud: "azure", category: "conflict" });
  };
  if ((await find()) === undefined) {
    const owned = { ...body, tags: { ...tags, [machineTag]: place.name, [tokenTag]: token } };
    try {
      await api.complete(`create ${what}`, put, { path: partPath(place, kind), body: owned, signal });
    } catch (error) {
      if (!isCloudFault(error, "conflict", "unavailable") || (await find()) === undefined) throw error;
    }
  }
  await waitFor(clock, {
    cloud: "azure",
    timeoutMs: limits.timeoutMs,
    signal,
    describe: (last) => `${what} is still ${last ?? "missing"}`,
    // Azure may not show a new resource immediately.
    read: async () => (await find())?.properties?.provisioningState,
    isDone(state) {
      if (state === "Failed") throw describeStatusReason(`${what} is Failed`, { code: "", message: "" });
      return state === "Succeeded";
    },
  });
}

function partPath({ subscriptionId, resourceGroup, name }: AzurePlace, kind: PartKind): Record<string, string> {
  const { parameter, suffix } = kinds[kind];
  return { subscriptionId, resourceGroupName: resourceGroup, [parameter]: `${name}${suffix}` };
}

async function findPart(
  { api }: AzureContext,
  place: AzurePlace,
  kind: PartKind,
  signal: AbortSignal | undefined,
): Promise<Part | undefined> {
  const { title, get } = kinds[kind];
  return api.find<Part>(`read the ${title} of the virtual machine ${place.name}`, get, { path: partPath(place, kind), signal });
}

/**
 * Removes the disk, the network interface and the public address that the library created for a machine. The machine itself must no
 * longer exist. Keeps resources that do not belong to the machine. With `isOnlyThese`, also keeps resources that were created by calls
 * with other tokens.
 *
 * Removes the disk first and the address last, so that an interrupted removal can be repeated. The interface's tag contains the token
 * from which the disk's name is derived.
 */
export async function removeParts(
  context: AzureContext,
  place: AzurePlace,
  { tokens, isOnlyThese }: { readonly tokens: readonly string[]; readonly isOnlyThese: boolean },
  limits: () => Limits,
): Promise<void> {
  const isOwn = ({ tags = {} }: Part): boolean =>
    tags[machineTag]?.toLowerCase() === place.name.toLowerCase() && (!isOnlyThese || tokens.includes(tags[tokenTag] ?? ""));
  const found: [PartKind, Part][] = [];
  for (const kind of ["interface", "address"] as const) {
    const part = await findPart(context, place, kind, limits().signal);
    if (part !== undefined && isOwn(part)) found.push([kind, part]);
  }
  const all = new Set([...tokens, ...found.flatMap(([, { tags }]) => tags?.[tokenTag] ?? [])]);
  for (const token of all) await removeDisk(context, place, diskName(place, token), limits());
  for (const [kind] of found) await removePart(context, place, kind, limits());
}

async function removePart(context: AzureContext, place: AzurePlace, kind: PartKind, limits: Limits): Promise<void> {
  const { title, remove, suffix } = kinds[kind];
  const what = `the ${title} ${place.name}${suffix}`;
  await deleteResource(context, limits, {
    what,
    read: async () => {
      const part = await findPart(context, place, kind, limits.signal);
      return part === undefined ? undefined : (part.properties?.provisioningState ?? "");
    },
    send: () => context.api.complete(`delete ${what}`, remove, { path: partPath(place, kind), signal: limits.signal }),
  });
}

/** Deletes a disk. Succeeds even if it does not exist. */
export async function removeDisk(context: AzureContext, place: AzurePlace, name: string, limits: Limits): Promise<void> {
  const { api } = context;
  const { subscriptionId, resourceGroup: resourceGroupName } = place;
  const request = { path: { subscriptionId, resourceGroupName, diskName: name }, signal: limits.signal };
  await deleteResource(context, limits, {
    what: `the disk ${name}`,
    read: async () => {
      const disk = await api.find<Disk>(`read the disk ${name}`, operations.getDisk, request);
      return disk === undefined ? undefined : "";
    },
    send: () => api.complete(`delete the disk ${name}`, operations.deleteDisk, request),
  });
}
