import { withLeft } from "@cloudwright/platform/fault";
import { trimEnd } from "@cloudwright/platform/trim-end";
import type { CreateOptions, WaitOptions } from "../../library/call-options.ts";
import { checkCount, checkText, readToken } from "../../library/check-request.ts";
import { createCloudFault, isCloudFault, refuseRequest } from "../../library/errors.ts";
import type { InstanceRequest } from "../../library/instances.ts";
import { addLeft } from "../../library/tell-left.ts";
import type { VirtualMachine } from "../machine-models.ts";
import { checkImage } from "./check-image.ts";
import { spellLocation, tokenTag, type AzureContext } from "./context.ts";
import { deleteMachine } from "./delete-machine.ts";
import { readImage } from "./images.ts";
import { diskName, ensurePart, partId, removeParts } from "./machine-parts.ts";
import { mergeNative } from "./merge-native.ts";
import { libraryOperations } from "./operations.ts";
import { findAt, machinePath, readStatus } from "./read-machines.ts";
import { limitWaits } from "./readiness.ts";
import { machineKind, readReference, readZone, renderId, type AzurePlace } from "./references.ts";

const defaultUser = "azureuser";
const userDataBytes = 64 * 1024 - 1;

/** After the creation of a machine has failed, Azure reserves its network interface for three minutes. */
const cleanUpMs = 6 * 60_000;
/** After a cancellation, the caller waits at most this long for the cleanup. */
const cancelledCleanUpMs = 30_000;

type Limits = WaitOptions & { readonly timeoutMs: number };

/**
 * Creates a machine with its network interface and, if requested, a public address. Runs `finish` as part of the creation. If anything
 * fails, removes everything that this call created, unless the machine exists and has not failed.
 */
export async function createMachine<Result>(
  context: AzureContext,
  request: InstanceRequest,
  options: CreateOptions,
  limits: () => Limits,
  finish: (place: AzurePlace) => Promise<Result>,
): Promise<Result> {
  const { signal } = options;
  const { place, body, ...parts } = planMachine(context, request, options);
  const { token } = parts;
  const existing = await findAt(context, place, signal);
  if (existing !== undefined) {
    checkOwn(place, existing, token);
    return finish(place);
  }
  const image = readImage(request.image, request.type);
  await checkImage(context, { image, location: spellLocation(request.region ?? context.options.location) }, signal);
  try {
    if (parts.address !== undefined) await ensurePart(context, place, "address", { ...parts, body: parts.address }, limits());
    await ensurePart(context, place, "interface", { ...parts, body: parts.interface }, limits());
    await putMachine(context, place, { body, token }, signal);
    return await finish(place);
  } catch (error) {
    const stays = await cleanUp(context, place, { token, error, isCancelled: signal?.aborted === true });
    if (!stays || !isCloudFault(error)) throw error;
    const what = `the virtual machine ${place.name} in the resource group ${place.resourceGroup}`;
    throw addLeft(error, { what, call: `instances.terminate("${renderId(place, machineKind.type)}")` });
  }
}

/** Sends the request to create a machine. The header makes Azure refuse it if a machine of that name was created in the meantime. */
async function putMachine(
  context: AzureContext,
  place: AzurePlace,
  { body, token }: { readonly body: object; readonly token: string },
  signal: AbortSignal | undefined,
): Promise<void> {
  const request = { path: machinePath(place), body, headers: { "if-none-match": "*" }, signal };
  try {
    await context.api.call(`create the virtual machine ${place.name}`, libraryOperations.putMachine, request);
  } catch (error) {
    // If the response to a successful request was lost, repeating the request fails.
    const made = isCloudFault(error, "conflict", "unavailable") ? await findAt(context, place, signal) : undefined;
    if (made === undefined) throw error;
    checkOwn(place, made, token);
  }
}

function checkOwn(place: AzurePlace, { tags }: VirtualMachine, token: string): void {
  if (tags?.[tokenTag] === token) return;
  const where = `in the resource group ${place.resourceGroup}`;
  throw createCloudFault(`the virtual machine ${place.name} already exists ${where}, and this call did not create it`, {
    cloud: "azure",
    category: "conflict",
  });
}

/**
 * Removes the resources of a failed creation. Returns true if the machine stays, because it exists and did not fail. Throws the original
 * error, with a list of what could not be removed.
 */
async function cleanUp(
  context: AzureContext,
  place: AzurePlace,
  { token, error, isCancelled }: { readonly token: string; readonly error: unknown; readonly isCancelled: boolean },
): Promise<boolean> {
  // The caller's signal may be the reason for the failure, so the cleanup has its own time limit.
  const limitMs = isCancelled ? cancelledCleanUpMs : cleanUpMs;
  const limits = limitWaits(context, limitMs, { signal: AbortSignal.timeout(limitMs) });
  try {
    const machine = await findAt(context, place, limits().signal);
    if (machine !== undefined) {
      if (machine.tags?.[tokenTag] === token && readStatus(machine).status !== "failed") return true;
      if (machine.tags?.[tokenTag] === token) await deleteMachine(context, place, limits());
    }
    await removeParts(context, place, { tokens: [token], isOnlyThese: true }, limits);
    return false;
  } catch (failure) {
    if (!isCloudFault(error)) return false;
    const reason = failure instanceof Error ? failure.message : String(failure);
    const what = `network interface, address or disk of the virtual machine ${place.name}`;
    const message = `${error.message}; a ${what} stays; delete it with instances.terminate("${place.name}")`;
    throw withLeft(error, [`${what}: ${reason}`], message);
  }
}

interface MachinePlan {
  readonly place: AzurePlace;
  readonly token: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly body: object;
  readonly interface: object;
  readonly address?: object;
}

/** Checks a request before anything is sent, and renders the bodies of all requests. */
function planMachine(context: AzureContext, request: InstanceRequest, options: CreateOptions): MachinePlan {
  const place = checkMachine(context, request);
  const { type, region, zone, userData, rootDisk, publicAddress, native } = request;
  const token = readToken("azure", options);
  const location = spellLocation(region ?? context.options.location);
  const tags = { ...context.options.tags, ...request.tags };
  const zones = zone === undefined ? undefined : [readZone(zone)];
  const user = request.user ?? defaultUser;
  const subnet = readSubnet(context, request);
  const group = readSecurityGroup(context, request);
  const imageReference = readImage(request.image, type);
  const body = mergeNative(native, {
    location,
    zones,
    tags: { ...tags, [tokenTag]: token },
    properties: {
      hardwareProfile: { vmSize: type },
      storageProfile: {
        imageReference,
        osDisk: {
          name: diskName(place, token),
          createOption: "FromImage",
          deleteOption: "Delete",
          diskSizeGB: rootDisk?.sizeGiB,
          ...(rootDisk?.kmsKey === undefined ? {} : { managedDisk: { diskEncryptionSet: { id: rootDisk.kmsKey } } }),
        },
      },
      osProfile: {
        computerName: trimEnd(place.name.replaceAll(/[^\dA-Za-z-]/g, "-"), "-"),
        adminUsername: user,
        ...(userData === undefined ? {} : { customData: Buffer.from(userData).toString("base64") }),
        linuxConfiguration: {
          disablePasswordAuthentication: true,
          ssh: {
            publicKeys: (request.sshKeys ?? []).map((keyData) => ({
              path: `/home/${user}/.ssh/authorized_keys`,
              keyData: keyData.trim(),
            })),
          },
        },
      },
      networkProfile: {
        networkInterfaces: [{ id: partId(place, "interface"), properties: { primary: true, deleteOption: "Delete" } }],
      },
      diagnosticsProfile: { bootDiagnostics: { enabled: true } },
    },
  });
  const attached = { id: partId(place, "address"), properties: { deleteOption: "Delete" } };
  const configuration = {
    name: "primary",
    properties: {
      primary: true,
      privateIPAllocationMethod: "Dynamic",
      subnet: { id: subnet },
      ...(publicAddress === true ? { publicIPAddress: attached } : {}),
    },
  };
  return {
    place,
    token,
    tags,
    body,
    interface: {
      location,
      properties: { ipConfigurations: [configuration], ...(group === undefined ? {} : { networkSecurityGroup: { id: group } }) },
    },
    ...(publicAddress === true ? { address: renderAddress(location, zones) } : {}),
  };
}

function renderAddress(location: string, zones: readonly string[] | undefined): object {
  return {
    location,
    ...(zones === undefined ? {} : { zones }),
    sku: { name: "Standard" },
    properties: { publicIPAllocationMethod: "Static", publicIPAddressVersion: "IPv4", deleteOption: "Delete" },
  };
}

function checkMachine(context: AzureContext, request: InstanceRequest): AzurePlace {
  const { name, type, zone, sshKeys = [], user, userData, rootDisk, region } = request;
  if (typeof name !== "string" || !machineKind.namePattern.test(name))
    throw refuseRequest("azure", `"${name}" cannot be the name of a virtual machine; a name has ${machineKind.nameRule}`);
  checkText("azure", "type", type);
  checkText("azure", "image", request.image);
  if (region !== undefined) checkText("azure", "region", region);
  if (zone !== undefined) readZone(zone);
  if (sshKeys.length === 0) throw refuseRequest("azure", `Azure requires an SSH key; set sshKeys of the virtual machine ${name}`);
  for (const key of sshKeys)
    if (!/^\s*ssh-(rsa|ed25519)\s+\S/.test(key))
      throw refuseRequest("azure", "Azure accepts only SSH keys of the types ssh-rsa and ssh-ed25519");
  if (user !== undefined && (!/^[a-z_][\w-]{0,31}$/.test(user) || /^(root|admin|administrator|guest|test|user)$/.test(user)))
    throw refuseRequest("azure", `Azure does not accept the user "${user}"; choose another name, such as ${defaultUser}`);
  if (userData !== undefined && Buffer.byteLength(userData) > userDataBytes)
    throw refuseRequest("azure", `userData has ${Buffer.byteLength(userData)} bytes; Azure accepts at most ${userDataBytes}`);
  if (rootDisk?.sizeGiB !== undefined) checkCount("azure", "rootDisk.sizeGiB", rootDisk.sizeGiB, { least: 1, most: 4095 });
  const { subscriptionId, resourceGroup } = readReference(context, machineKind, name);
  return { subscriptionId, resourceGroup, name };
}

/** A subnet is an ARM ID, or the name of a subnet of `network`. A network is an ARM ID, or a name in the client's resource group. */
function readSubnet({ options }: AzureContext, { name, network, subnet }: InstanceRequest): string {
  if (subnet !== undefined && /^\/subscriptions\/.+\/subnets\/[^/]+$/i.test(subnet)) return subnet;
  if (subnet === undefined || network === undefined) {
    const reason = "set subnet to the ARM ID of a subnet, or network and subnet to names";
    throw refuseRequest("azure", `the virtual machine ${name} needs a subnet; ${reason}`);
  }
  const parent = /^\/subscriptions\//i.test(network)
    ? trimEnd(network, "/")
    : renderId({ ...options, name: network }, "Microsoft.Network/virtualNetworks");
  return `${parent}/subnets/${subnet}`;
}

function readSecurityGroup({ options }: AzureContext, { securityGroups = [] }: InstanceRequest): string | undefined {
  const [first, ...more] = securityGroups;
  if (more.length > 0)
    throw refuseRequest("azure", `a network interface has at most one security group; the request has ${securityGroups.length}`);
  if (first === undefined || /^\/subscriptions\//i.test(first)) return first;
  return renderId({ ...options, name: first }, "Microsoft.Network/networkSecurityGroups");
}
