import type { CreateOptions } from "../../library/call-options.ts";
import { checkCount, checkText, deriveToken, readToken } from "../../library/check-request.ts";
import { createCloudFault, isCloudFault, refuseRequest } from "../../library/errors.ts";
import type { InstanceRequest } from "../../library/instances.ts";
import { waitFor } from "../../library/wait-for.ts";
import type { Instance, Operation } from "../models.ts";
import type { GcpContext } from "./context.ts";
import { diskTypeFor, findImage, type InstanceImage } from "./images.ts";
import { imageKey, userKey } from "./instance-metadata.ts";
import { renderLabels, tokenTag, toTags } from "./labels.ts";
import { checkZoneOperation, isZoneOperationDone } from "./operations.ts";
import { chooseZone, listZones, regionOf } from "./places.ts";
import { findInstance, findInstances, pathOfInstance, type InstancePlace } from "./read-compute.ts";
import { checkInstanceName, pathOf } from "./references.ts";

/** Compute Engine's limit for one metadata value. */
const maxUserData = 256 * 1024;

/**
 * Sends the request to create an instance and waits until it exists. A repeated call never creates a second instance: names are unique in a
 * zone, a label records the call's token, and Compute Engine ignores a repeated request ID.
 */
export async function insertInstance(
  context: GcpContext,
  request: InstanceRequest,
  options: CreateOptions & { readonly timeoutMs: number },
): Promise<InstancePlace> {
  const { signal } = options;
  checkInstance(request);
  const image = findImage(request.image, request.type);
  const token = deriveToken(readToken("gcp", options), "instance");
  const { region, zone: requested } = chooseZone(context, request);
  // If the request names no zone, an earlier call may have chosen another zone.
  const earlier = request.zone === undefined ? await findEarlier(context, request.name, region, token, signal) : undefined;
  if (earlier !== undefined) return earlier;
  const zone = requested ?? (await listZones(context, region, signal))[0] ?? "";
  const place = { project: context.project, zone, name: request.name };
  if (await isOwnInstance(context, place, token, signal)) return place;
  const doing = `create the instance ${place.name} in ${zone}`;
  const body = renderInstance(context, request, { ...place, image, token });
  const operation = await sendInsert(context, place, { doing, body, token, signal });
  if (operation !== undefined) await awaitInstance(context, place, operation, { doing, ...options });
  return place;
}

function checkInstance({
  name,
  image,
  type,
  rootDisk = {},
  userData = "",
  sshKeys = [],
  user,
  securityGroups = [],
}: InstanceRequest): void {
  checkText("gcp", "the instance's name", name);
  checkInstanceName(name);
  checkText("gcp", "image", image);
  checkText("gcp", "type", type);
  if (!/^[a-z][a-z0-9-]*$/.test(type)) throw refuseRequest("gcp", `"${type}" is not a machine type; use a form such as e2-small`);
  if (rootDisk.sizeGiB !== undefined) checkCount("gcp", "rootDisk.sizeGiB", rootDisk.sizeGiB, { least: 10, most: 65_536 });
  if (rootDisk.encrypted === false)
    throw refuseRequest("gcp", "Compute Engine encrypts all disks; remove `rootDisk.encrypted: false`");
  if (Buffer.byteLength(userData) > maxUserData) throw refuseRequest("gcp", "userData has more than 256 KiB");
  if (user !== undefined && !/^[a-z_][a-z0-9_-]{0,31}$/.test(user)) throw refuseRequest("gcp", `"${user}" is not a user name`);
  const wrong = sshKeys.find((key) => !/^(ssh|ecdsa|sk)-[\w@.-]+ [A-Za-z0-9+/=]+( [^\n]*)?$/.test(key.trim()));
  if (wrong !== undefined) throw refuseRequest("gcp", `"${wrong.slice(0, 40)}" is not an OpenSSH public key on one line`);
  const strange = securityGroups.find((tag) => !/^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/.test(tag));
  if (strange !== undefined) throw refuseRequest("gcp", `"${strange}" is not a network tag; securityGroups lists network tags`);
}

function renderInstance(
  { options, project }: GcpContext,
  request: InstanceRequest,
  { zone, image, token }: InstancePlace & { readonly image: InstanceImage; readonly token: string },
): Instance {
  const { type, tags = {}, rootDisk: { sizeGiB, kmsKey } = {}, securityGroups, publicAddress = false, native = {} } = request;
  const labels = renderLabels({ ...options.tags, ...tags, [tokenTag]: token });
  const given = native as Instance;
  return {
    ...native,
    name: request.name,
    machineType: `zones/${zone}/machineTypes/${type}`,
    labels,
    disks: [
      {
        boot: true,
        autoDelete: true,
        initializeParams: {
          sourceImage: image.path,
          diskType: `projects/${project}/zones/${zone}/diskTypes/${diskTypeFor(type)}`,
          labels,
          ...(sizeGiB === undefined ? {} : { diskSizeGb: String(sizeGiB) }),
        },
        ...(kmsKey === undefined ? {} : { diskEncryptionKey: { kmsKeyName: kmsKey } }),
      },
      ...(given.disks ?? []).filter(({ boot }) => boot !== true),
    ],
    networkInterfaces: [
      {
        ...renderNetwork(request, zone),
        ...(publicAddress ? { accessConfigs: [{ type: "ONE_TO_ONE_NAT", name: "External NAT" }] } : {}),
      },
    ],
    metadata: { items: [...renderMetadata(request, image), ...(given.metadata?.items ?? [])] },
    ...(securityGroups === undefined ? {} : { tags: { items: securityGroups } }),
  };
}

/** Names are expanded to full paths. A subnetwork implies its network. */
function renderNetwork({ network, subnet }: InstanceRequest, zone: string) {
  const path = (text: string, collection: string): string => (text.includes("/") ? pathOf(text) : `${collection}/${text}`);
  if (subnet === undefined) return { network: path(network ?? "default", "global/networks") };
  return {
    subnetwork: path(subnet, `regions/${regionOf(zone)}/subnetworks`),
    ...(network === undefined ? {} : { network: path(network, "global/networks") }),
  };
}

function renderMetadata({ sshKeys = [], userData, user: requested }: InstanceRequest, image: InstanceImage) {
  const user = requested ?? image.user;
  const items: readonly (readonly [key: string, value: string])[] = [
    [imageKey, image.path],
    [userKey, user],
    ...(userData === undefined ? [] : ([["user-data", userData]] as const)),
    ...(sshKeys.length === 0
      ? []
      : ([
          ["ssh-keys", sshKeys.map((key) => `${user}:${key.trim()}`).join("\n")],
          // Only the given keys may grant access to the machine. OS Login is disabled, because it would make Compute Engine ignore these
          // keys.
          ["block-project-ssh-keys", "TRUE"],
          ["enable-oslogin", "FALSE"],
        ] as const)),
  ];
  return items.map(([key, value]) => ({ key, value }));
}

interface Insertion {
  readonly doing: string;
  readonly body: object;
  readonly token: string;
  readonly signal: AbortSignal | undefined;
}

/** Returns the name of the operation, or undefined if an earlier call with the same token created the instance. */
async function sendInsert(
  context: GcpContext,
  place: InstancePlace,
  { doing, body, token, signal }: Insertion,
): Promise<string | undefined> {
  try {
    const operation = await context.api.call<Operation>(doing, {
      service: "compute",
      action: "instances.insert",
      method: "POST",
      path: `projects/${place.project}/zones/${place.zone}/instances`,
      query: { requestId: toRequestId(`${token} ${place.zone}`) },
      body,
      signal,
    });
    checkZoneOperation(doing, operation);
    return operation.name;
  } catch (error) {
    // The response to an earlier attempt may have been lost.
    if (isCloudFault(error, "conflict", "unavailable") && (await isOwnInstance(context, place, token, signal))) return undefined;
    throw error;
  }
}

/** Waits until an instance exists. Errors such as an exhausted quota appear only in the operation. */
export async function awaitInstance(
  context: GcpContext,
  place: InstancePlace,
  name: string,
  { doing, signal, timeoutMs }: { readonly doing: string; readonly timeoutMs: number } & Pick<CreateOptions, "signal">,
): Promise<void> {
  await waitFor(context.clock, {
    cloud: "gcp",
    timeoutMs,
    signal,
    describe: () => `the instance ${place.name} has not appeared in ${place.zone}`,
    async read() {
      const isDone = await isZoneOperationDone(context, { ...place, name }, { doing, signal });
      return isDone || (await findInstance(context, place, signal)) !== undefined;
    },
    isDone: (isThere) => isThere,
  });
}

/** Formats a token as the UUID that Compute Engine requires. */
export function toRequestId(token: string): string {
  const digits = deriveToken(token, "request").slice(0, 32);
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-8${digits.slice(17, 20)}-${digits.slice(20)}`;
}

async function findEarlier(
  context: GcpContext,
  name: string,
  region: string,
  token: string,
  signal: AbortSignal | undefined,
): Promise<InstancePlace | undefined> {
  const found = await findInstances(context, { name, region }, signal);
  return found.find(({ instance }) => toTags(instance.labels ?? {})[tokenTag] === token)?.place;
}

/** Returns whether a call with the same token created the instance. Throws `clouds.conflict` if another instance has the name. */
async function isOwnInstance(
  context: GcpContext,
  place: InstancePlace,
  token: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const existing = await findInstance(context, place, signal);
  if (existing === undefined) return false;
  if (toTags(existing.labels ?? {})[tokenTag] === token) return true;
  throw createCloudFault(`the instance ${pathOfInstance(place)} already exists, and this call did not create it`, {
    cloud: "gcp",
    category: "conflict",
  });
}
