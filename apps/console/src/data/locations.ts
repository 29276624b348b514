import type { AnyEntity, KindName, Stored } from "@cloudwright/api-client";
import { cloudOf, isCloudName, type CloudName } from "@cloudwright/contract/clouds";
import { childKinds, getKind, kinds } from "@cloudwright/contract/kinds";
import type { KindMap, LiveState } from "./live-store.ts";
import { findOwner } from "./references.ts";

/** The cloud, region and account of an entity, derived from its ancestors. */
export interface EntityLocation {
  /** The name of the cloud, or an empty string if unknown. */
  readonly cloud: CloudName | "";
  readonly region: string;
  readonly simulated: boolean;
}

export interface Locations {
  /** Returns the location of an entity. The entity need not be stored yet. */
  of(kind: string, entity: AnyEntity): EntityLocation;
  /** Returns the location of the entity with this name or uid. */
  find(kind: string, nameOrUid: string): EntityLocation;
}

const nowhere: EntityLocation = { cloud: "", region: "", simulated: false };

/** The kinds that can be parents. Only their entities determine locations. */
export const parentKinds: readonly KindName[] = kinds.filter(({ kind }) => childKinds(kind).length > 0).map(({ kind }) => kind);

/** Creates the location lookup for a project. Entities may refer to each other by name or by uid. */
export function createLocations(state: LiveState["kinds"]): Locations {
  const indexes = new Map(parentKinds.map((kind) => [kind as string, index(state[kind])]));
  const locations: Locations = {
    find(kind, nameOrUid) {
      const entity = indexes.get(kind)?.get(nameOrUid);
      return entity === undefined ? nowhere : locations.of(kind, entity);
    },
    of(kind, entity) {
      if (!getKind(kind).provisioned) return nowhere;
      const spec = (entity.spec ?? {}) as Readonly<Record<string, unknown>>;
      const owner = findOwner(kind, entity);
      if (owner === undefined) return locate(entity, spec);
      const above = locations.find(owner.kind, owner.name);
      return typeof spec["region"] === "string" ? { ...above, region: spec["region"] } : above;
    },
  };
  return locations;
}

/** Returns the location of an entity without a parent, such as an account. */
function locate({ status }: AnyEntity, spec: Readonly<Record<string, unknown>>): EntityLocation {
  const observed = (status as { readonly cloud?: string } | undefined)?.cloud ?? "";
  const cloud = isCloudName(observed) ? observed : (cloudOf(spec) ?? "");
  return { cloud, region: "", simulated: spec["simulated"] === true };
}

function index(entities: KindMap | undefined): ReadonlyMap<string, Stored<AnyEntity>> {
  const all = [...(entities?.values() ?? [])];
  return new Map(all.flatMap((each) => [[each.metadata.name, each] as const, [each.metadata.uid, each] as const]));
}
