import { isCloudFault } from "../../library/errors.ts";
import type { CloudPart, PartAttributes, PartOwner } from "../../library/parts.ts";
import { waitFor } from "../../library/wait-for.ts";
import { ownerTag } from "../../account-view.ts";
import type { Operation } from "../operations.ts";
import { changeResource, type ReadResource } from "../library/change-resource.ts";
import type { AzureContext } from "../library/context.ts";
import { deleteResource } from "../library/delete-resource.ts";
import { describeFailed } from "../library/readiness.ts";
import { checkOwner, checkTaken, findOwned } from "./part-support.ts";

const readyMs = 60 * 60_000;
/** A new resource may be missing from responses for a while. */
const appearMs = 2 * 60_000;
/** How long an earlier change may take to propagate. */
const settleMs = 5 * 60_000;

type Tags = Readonly<Record<string, string>>;

/** The properties that differ between Azure's resource types. */
export interface PartDefinition<Resource extends ReadResource> {
  /** Terraform's resource type. */
  readonly name: string;
  readonly title: string;
  readonly immutable: readonly string[];
  readonly sensitive?: readonly string[];
  readonly get: Operation;
  readonly put: Operation;
  /** Changes a resource. Default: `put`. */
  readonly change?: Operation;
  readonly remove: Operation;
  readonly query?: Readonly<Record<string, string>>;
  /** Error codes with which Azure refuses a creation until an earlier change, such as a new role, has propagated. */
  readonly settling?: RegExp;
  /** Whether Azure accepts `If-None-Match`. If not, the name is looked up before the PUT. */
  readonly isConditional: boolean;
  /** Returns the ID that a new resource will have. */
  idOf(attributes: PartAttributes): string;
  /** Returns the path parameters of an ID. Throws `clouds.invalid` if it is the ID of something else. */
  pathOf(id: string): Readonly<Record<string, string>>;
  tagsOf(resource: Resource): Tags | undefined;
  render(attributes: PartAttributes, owner: PartOwner): object;
  /** Returns the body of a change, or undefined if no change is needed. */
  renderChange(current: Resource, attributes: PartAttributes): object | undefined;
  /** Returns the attributes without `ready` and `failed`. */
  toAttributes(resource: Resource, signal: AbortSignal): PartAttributes | Promise<PartAttributes>;
  readState(resource: Resource): {
    readonly isReady: boolean;
    readonly isFailed: boolean;
    readonly nativeStatus: string;
    readonly statusReason?: string;
  };
  /** Lists the resources that may carry an ownership tag. */
  list(signal: AbortSignal): Promise<readonly { readonly id: string; readonly tags: Tags | undefined }[]>;
  /** Applies attributes that Azure does not accept in the body of a PUT, such as the power state. Must be safe to repeat. */
  finish?(id: string, attributes: PartAttributes, signal: AbortSignal): Promise<void>;
  /** Returns the output of a machine's serial console. */
  readConsole?(id: string, signal: AbortSignal): Promise<string>;
  /** Removes the resources that belong to a deleted resource. Must be safe to repeat. */
  afterDelete?(resource: Resource, signal: AbortSignal): Promise<void>;
}

/** Creates a part from the properties of its resource type. */
export function createResourcePart<Resource extends ReadResource>(
  context: AzureContext,
  entityUid: string,
  definition: PartDefinition<Resource>,
): CloudPart {
  const { api, clock } = context;
  const { name, title, immutable, sensitive, isConditional, finish, readConsole } = definition;
  const nameOf = (id: string): string => `the ${title} ${id.split("/").at(-1)}`;
  const find = async (id: string, signal: AbortSignal): Promise<Resource | undefined> => {
    const { query = {} } = definition;
    return api.find<Resource>(`read ${nameOf(id)}`, definition.get, { path: definition.pathOf(id), query, signal });
  };
  const toAttributes = async (resource: Resource, signal: AbortSignal): Promise<PartAttributes> => {
    const { isReady, isFailed } = definition.readState(resource);
    return { ...(await definition.toAttributes(resource, signal)), ready: isReady, failed: isFailed };
  };
  const waitReady = async (id: string, signal: AbortSignal): Promise<Resource> => {
    const startMs = clock.now();
    const last = await waitFor<Resource | undefined>(clock, {
      cloud: "azure",
      timeoutMs: readyMs,
      signal,
      describe: (seen) => `${nameOf(id)} is still ${seen === undefined ? "missing" : definition.readState(seen).nativeStatus}`,
      read: () => find(id, signal),
      isDone(resource) {
        if (resource === undefined) return clock.now() - startMs > appearMs;
        const { isReady, isFailed, nativeStatus, ...reason } = definition.readState(resource);
        if (isFailed) throw describeFailed({ name: nameOf(id), status: "failed", nativeStatus, ...reason });
        return isReady;
      },
    });
    return last ?? api.call<Resource>(`read ${nameOf(id)}`, definition.get, { path: definition.pathOf(id), signal });
  };
  const put = async (id: string, attributes: PartAttributes, owner: PartOwner, signal: AbortSignal): Promise<void> => {
    const existing = await find(id, signal);
    if (existing !== undefined) return checkTaken(nameOf(id), definition.tagsOf(existing), owner);
    const headers = isConditional ? { "if-none-match": "*" } : {};
    const request = { path: definition.pathOf(id), body: definition.render(attributes, owner), headers, signal };
    const startMs = clock.now();
    const isSettling = (error: unknown): boolean =>
      isCloudFault(error) && definition.settling?.test(error.extra.nativeCode) === true && clock.now() - startMs < settleMs;
    await waitFor(clock, {
      cloud: "azure",
      timeoutMs: readyMs,
      signal,
      describe: () => `${nameOf(id)} cannot be created, because Azure is still working on another change`,
      async read() {
        try {
          await api.call(`create ${nameOf(id)}`, definition.put, request);
          return true;
        } catch (error) {
          if (isSettling(error)) return false;
          if (!isCloudFault(error, "conflict", "unavailable")) throw error;
          const made = await find(id, signal);
          if (made !== undefined) checkTaken(nameOf(id), definition.tagsOf(made), owner);
          else if (!isBusy(error)) throw error;
          return made !== undefined;
        }
      },
      isDone: (isMade) => isMade,
    });
  };
  return {
    name,
    immutable,
    ...(sensitive === undefined ? {} : { sensitive }),
    ...(readConsole === undefined ? {} : { readConsole }),
    async create(attributes, owner, signal) {
      const id = definition.idOf(attributes);
      await put(id, attributes, owner, signal);
      await waitReady(id, signal);
      await finish?.(id, attributes, signal);
      return { id, attributes: await toAttributes(await waitReady(id, signal), signal) };
    },
    async read(id, signal) {
      const found = await find(id, signal);
      return found === undefined || found.properties?.provisioningState === "Deleting" ? undefined : toAttributes(found, signal);
    },
    async update(id, attributes, signal) {
      await waitReady(id, signal);
      const { change = definition.put } = definition;
      await changeResource<Resource>(
        context,
        { signal, timeoutMs: readyMs },
        {
          what: nameOf(id),
          read: async () => withState(await waitReady(id, signal)),
          render: (current) => definition.renderChange(current, attributes),
          send: (body, headers) =>
            api.call(`change ${nameOf(id)}`, change, {
              path: definition.pathOf(id),
              body,
              headers: isConditional ? headers : {},
              signal,
            }),
        },
      );
      await waitReady(id, signal);
      await finish?.(id, attributes, signal);
      return toAttributes(await waitReady(id, signal), signal);
    },
    async delete(id, signal) {
      const found = await find(id, signal);
      if (found === undefined) return;
      checkOwner(nameOf(id), definition.tagsOf(found), entityUid);
      await deleteResource(
        context,
        { signal, timeoutMs: readyMs },
        {
          what: nameOf(id),
          read: async () => {
            const now = await find(id, signal);
            return now === undefined ? undefined : (now.properties?.provisioningState ?? "");
          },
          send: () => api.call(`delete ${nameOf(id)}`, definition.remove, { path: definition.pathOf(id), signal }),
        },
      );
      await definition.afterDelete?.(found, signal);
    },
    async listOwned(uid, signal) {
      return (await definition.list(signal)).flatMap(({ id, tags }) => findOwned(id, tags, uid) ?? []);
    },
    async findOwner(id, signal) {
      const found = await find(id, signal);
      return found === undefined ? undefined : definition.tagsOf(found)?.[ownerTag];
    },
  };
}

/** Some resources, such as identities, are ready as soon as they exist and have no provisioning state. */
function withState<Resource extends ReadResource>(resource: Resource): Resource {
  return { ...resource, properties: { provisioningState: "Succeeded", ...resource.properties } };
}

/** Returns whether Azure refused a change because it is processing another one. Other conflicts do not resolve themselves. */
function isBusy(error: { readonly extra: { readonly nativeCode: string; readonly category: string } }): boolean {
  return error.extra.category === "unavailable" || /^(OperationNotAllowed|\w*InProgress|Conflict)$/.test(error.extra.nativeCode);
}
