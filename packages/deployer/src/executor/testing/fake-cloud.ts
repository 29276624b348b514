import { createUid, systemClock } from "@cloudwright/platform";
import type { JsonObject } from "../../task.ts";
import type { Owner, ResourceType } from "../in-process/blueprint.ts";

export interface FakeResource {
  readonly type: string;
  readonly id: string;
  readonly owner: Owner;
  readonly attributes: JsonObject;
}

/** Called before and after every change in the fake cloud. A hook throws to simulate a killed process. */
export type CallHook = (call: string, moment: "before" | "after") => void;

/** An in-memory cloud that survives the death of an executor. */
export interface FakeCloud {
  /** Creates a resource type that calls `hook` before and after every change. */
  openType(type: Pick<ResourceType, "name" | "immutable" | "sensitive">, hook: CallHook): ResourceType;
  list(entityUid: string): readonly FakeResource[];
  /** Changes a resource behind the executor's back. */
  change(id: string, attributes: JsonObject): void;
  /** Deletes a resource behind the executor's back. */
  remove(id: string): void;
  /** Makes the next `times` deletions of this resource fail. */
  rejectDeletion(id: string, times: number): void;
}

export interface FakeCloudOptions {
  /** If true, a second creation with the same token returns the first resource. Defaults to false, because most clouds ignore tokens. */
  readonly honoursTokens?: boolean;
  /** Returns whether `listOwned` includes a resource. Used to simulate eventual consistency. */
  readonly isListed?: (resource: FakeResource) => boolean;
}

/**
 * Creates a fake cloud. It rejects references to missing resources and the deletion of resources that are in use. Every resource gets a
 * computed `address` attribute.
 */
export function createFakeCloud({ honoursTokens = false, isListed = () => true }: FakeCloudOptions = {}): FakeCloud {
  const resources = new Map<string, FakeResource>();
  const rejected = new Map<string, number>();
  const namesOf = ({ attributes }: Pick<FakeResource, "attributes">): string[] =>
    Object.values(attributes).filter((value) => typeof value === "string" && /^fake_\w+-/.test(value)) as string[];
  const checkNames = (attributes: JsonObject): void => {
    const missing = namesOf({ attributes }).find((id) => !resources.has(id));
    if (missing !== undefined) throw new Error(`${missing} does not exist`);
  };
  const create = (type: string, attributes: JsonObject, owner: Owner): FakeResource => {
    const known = [...resources.values()].find((each) => honoursTokens && each.owner.token === owner.token);
    if (known !== undefined) return known;
    checkNames(attributes);
    const id = `${type}-${createUid(systemClock.now())}`;
    const resource = { type, id, owner, attributes: { ...attributes, address: `host-of-${id}.test` } };
    resources.set(id, resource);
    return resource;
  };
  const update = (id: string, attributes: JsonObject): JsonObject => {
    const resource = resources.get(id);
    if (resource === undefined) throw new Error(`${id} does not exist`);
    checkNames(attributes);
    const updated = { ...resource, attributes: { ...resource.attributes, ...attributes } };
    resources.set(id, updated);
    return updated.attributes;
  };
  const remove = (id: string): void => {
    const times = rejected.get(id) ?? 0;
    rejected.set(id, times - 1);
    if (times > 0) throw new Error(`${id} cannot be deleted now`);
    const user = [...resources.values()].find((each) => namesOf(each).includes(id));
    if (user !== undefined) throw new Error(`${id} is in use by ${user.id}`);
    resources.delete(id);
  };
  return {
    openType({ name, immutable, sensitive = [] }, hook) {
      const around = async <Result>(call: string, act: () => Result): Promise<Result> => {
        hook(call, "before");
        const result = act();
        hook(call, "after");
        return result;
      };
      return {
        name,
        immutable,
        sensitive,
        create: (attributes, owner) => around("create", () => create(name, attributes, owner)),
        read: async (id) => resources.get(id)?.attributes,
        update: (id, attributes) => around("update", () => update(id, attributes)),
        delete: (id) => around("delete", () => remove(id)),
        listOwned: async (entityUid) =>
          [...resources.values()]
            .filter((each) => each.type === name && each.owner.entityUid === entityUid && isListed(each))
            .map((each) => ({ id: each.id, name: each.owner.name })),
        findOwner: async (id) => resources.get(id)?.owner.entityUid,
      };
    },
    list: (entityUid) => [...resources.values()].filter(({ owner }) => owner.entityUid === entityUid),
    change: (id, attributes) => void update(id, attributes),
    remove: (id) => void resources.delete(id),
    rejectDeletion: (id, times) => void rejected.set(id, times),
  };
}
