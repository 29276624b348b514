import { createCloudFault, isCloudFault, refuseRequest } from "../../library/errors.ts";
import { inParallel } from "../../library/in-parallel.ts";
import type { InstanceInfo } from "../../library/instances.ts";
import type { VirtualMachine, VirtualMachineInstanceView } from "../machine-models.ts";
import type { NetworkInterface, PublicIPAddress } from "../models.ts";
import { operations } from "../operations.ts";
import { readInstanceStatus } from "../statuses.ts";
import { spellLocation, type AzureContext } from "./context.ts";
import { renderImage } from "./images.ts";
import { libraryOperations } from "./operations.ts";
import { machineKind, readReference, renderId, type AzurePlace } from "./references.ts";

type Signal = AbortSignal | undefined;

/** Returns the path parameters for calls about a machine. */
export function machinePath({ subscriptionId, resourceGroup, name }: AzurePlace): Record<string, string> {
  return { subscriptionId, resourceGroupName: resourceGroup, vmName: name };
}

/** Reads a machine with its power state. Returns undefined if it does not exist. */
export async function findAt({ api }: AzureContext, place: AzurePlace, signal: Signal): Promise<VirtualMachine | undefined> {
  const request = { path: machinePath(place), query: { $expand: "instanceView" }, signal };
  return api.find<VirtualMachine>(`read the virtual machine ${place.name}`, libraryOperations.getMachine, request);
}

/** Returns the fault for a machine that does not exist. */
export function missMachine({ options }: AzureContext, ref: string): Error {
  const place = `the resource group ${options.resourceGroup} or elsewhere in the subscription`;
  return createCloudFault(`there is no virtual machine ${ref} in ${place}`, { cloud: "azure", category: "not_found" });
}

/**
 * Finds a machine by its name or ID. A name is looked up in the client's resource group and then in the subscription. Throws `clouds.invalid`
 * if several machines share the name.
 */
export async function findMachine(context: AzureContext, ref: string, signal: Signal): Promise<VirtualMachine | undefined> {
  const { isExact, ...place } = readReference(context, machineKind, ref);
  const near = await findAt(context, place, signal);
  if (near !== undefined || isExact) return near;
  const found = (await listMachines(context, signal)).filter((each) => each.name?.toLowerCase() === place.name.toLowerCase());
  if (found.length > 1) {
    const ids = found.map(({ id = "" }) => id).join(", ");
    throw refuseRequest("azure", `several virtual machines are called ${place.name}; pass an ID: ${ids}`);
  }
  const [only] = found;
  return only === undefined ? undefined : findAt(context, placeOf(context, only), signal);
}

/** Returns the resource group and name of a machine that Azure returned. */
export function placeOf(context: AzureContext, { id = "" }: VirtualMachine): AzurePlace {
  const { subscriptionId, resourceGroup, name } = readReference(context, machineKind, id);
  return { subscriptionId, resourceGroup, name };
}

/** Reads the addresses of a machine and describes it. */
export async function describeMachine(context: AzureContext, machine: VirtualMachine, signal: Signal): Promise<InstanceInfo> {
  const [first] = machine.properties?.networkProfile?.networkInterfaces ?? [];
  const card = await findNetworkResource<NetworkInterface>(context, first?.id, signal);
  const { publicIPAddress } = card?.properties?.ipConfigurations?.[0]?.properties ?? {};
  const address = await findNetworkResource<PublicIPAddress>(context, publicIPAddress?.id, signal);
  return toInstanceInfo(context, machine, card, address);
}

async function findNetworkResource<Found extends object>(
  { api }: AzureContext,
  resourceId: string | undefined,
  signal: Signal,
): Promise<Found | undefined> {
  if (resourceId === undefined) return undefined;
  return api.find<Found>("read the address of a virtual machine", operations.getNetworkResource, {
    path: { resourceId },
    signal,
  });
}

/**
 * Lists the machines of a region that have all of the given tags. Reads the addresses of all machines with two additional requests in
 * total.
 */
export async function listInstances(
  context: AzureContext,
  { region, tags, signal }: { readonly region: string; readonly tags: Readonly<Record<string, string>>; readonly signal: Signal },
): Promise<InstanceInfo[]> {
  const isAsked = ({ location = "", tags: own = {} }: VirtualMachine): boolean =>
    spellLocation(location) === spellLocation(region) && Object.entries(tags).every(([key, value]) => own[key] === value);
  const machines = (await listMachines(context, signal)).filter(isAsked);
  if (machines.length === 0) return [];
  const [cards, addresses] = await Promise.all([
    listWidely<NetworkInterface>(
      context,
      "network interfaces",
      libraryOperations.listInterfaces,
      libraryOperations.listGroupInterfaces,
      signal,
    ),
    listWidely<PublicIPAddress>(
      context,
      "public addresses",
      operations.listPublicIps,
      libraryOperations.listGroupAddresses,
      signal,
    ),
  ]);
  const cardsById = new Map(cards.map((card) => [(card.id ?? "").toLowerCase(), card]));
  const addressesById = new Map(addresses.map((address) => [(address.id ?? "").toLowerCase(), address]));
  const described = await inParallel(machines, 8, async (machine) => {
    const instanceView = await findView(context, placeOf(context, machine), signal);
    if (instanceView === undefined) return [];
    const [first] = machine.properties?.networkProfile?.networkInterfaces ?? [];
    const card = cardsById.get((first?.id ?? "").toLowerCase());
    const { publicIPAddress } = card?.properties?.ipConfigurations?.[0]?.properties ?? {};
    const address = addressesById.get((publicIPAddress?.id ?? "").toLowerCase());
    const full = { ...machine, properties: { ...machine.properties, instanceView } };
    return [toInstanceInfo(context, full, card, address)];
  });
  return described.flat();
}

async function findView(
  { api }: AzureContext,
  place: AzurePlace,
  signal: Signal,
): Promise<VirtualMachineInstanceView | undefined> {
  const request = { path: machinePath(place), signal };
  return api.find<VirtualMachineInstanceView>(
    `read the state of the virtual machine ${place.name}`,
    libraryOperations.getMachineView,
    request,
  );
}

async function listMachines(context: AzureContext, signal: Signal): Promise<readonly VirtualMachine[]> {
  const { listMachines: wide, listGroupMachines: near } = libraryOperations;
  return listWidely<VirtualMachine>(context, "virtual machines", wide, near, signal);
}

/** Lists resources in the subscription or, if the credentials do not allow this, in the client's resource group. */
export async function listWidely<Item>(
  { api, options }: AzureContext,
  what: string,
  wide: Parameters<AzureContext["api"]["list"]>[1],
  near: Parameters<AzureContext["api"]["list"]>[1],
  signal: Signal,
): Promise<readonly Item[]> {
  try {
    return await api.list<Item>(`list the ${what}`, wide, { signal });
  } catch (error) {
    if (!isCloudFault(error, "denied")) throw error;
    return api.list<Item>(`list the ${what}`, near, { path: { resourceGroupName: options.resourceGroup }, signal });
  }
}

function toInstanceInfo(
  context: AzureContext,
  machine: VirtualMachine,
  card: NetworkInterface | undefined,
  address: PublicIPAddress | undefined,
): InstanceInfo {
  const place = placeOf(context, machine);
  const { properties = {}, tags = {}, zones = [] } = machine;
  const region = spellLocation(machine.location ?? "");
  const privateAddress = card?.properties?.ipConfigurations?.[0]?.properties?.privateIPAddress;
  const publicAddress = address?.properties?.ipAddress;
  const { timeCreated } = properties;
  return {
    id: renderId(place, machineKind.type),
    name: machine.name ?? place.name,
    cloud: "azure",
    region,
    ...(zones[0] === undefined ? {} : { zone: `${region}-${zones[0]}` }),
    ...readStatus(machine),
    type: properties.hardwareProfile?.vmSize ?? "",
    image: renderImage(properties.storageProfile?.imageReference),
    ...(privateAddress === undefined ? {} : { privateAddress }),
    ...(publicAddress === undefined ? {} : { publicAddress }),
    user: properties.osProfile?.adminUsername ?? "",
    tags,
    ...(timeCreated === undefined ? {} : { createdAt: new Date(timeCreated) }),
  };
}

/** Reads the status of a machine from its provisioning state and its power state. */
export function readStatus({ properties = {} }: VirtualMachine): Pick<InstanceInfo, "status" | "nativeStatus" | "statusReason"> {
  const statuses = properties.instanceView?.statuses ?? [];
  const power = statuses.find(({ code }) => code?.startsWith("PowerState/"))?.code;
  const read = readInstanceStatus(properties.provisioningState, power);
  if (read.status !== "failed") return read;
  const failure = statuses.find(({ code }) => /^ProvisioningState\/failed/i.test(code ?? ""));
  const code = /^ProvisioningState\/failed\/(?<code>\w+)/i.exec(failure?.code ?? "")?.groups?.["code"];
  const text = failure?.message ?? failure?.displayStatus;
  if (code === undefined && text === undefined) return read;
  return { ...read, statusReason: [code, text].filter((part) => part !== undefined).join(": ") };
}
