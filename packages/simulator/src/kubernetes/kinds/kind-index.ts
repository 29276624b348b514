import type { KubeObject } from "../cluster/kube-object.ts";
import type { ClusterState } from "../cluster/cluster-state.ts";
import { builtInSchemas, createSchemas } from "../schema/built-in-schemas.ts";
import type { Schema, Schemas } from "../schema/schema.ts";
import { customKinds, type CustomKind } from "./custom-kinds.ts";
import { builtInKinds, type Kind } from "./kinds.ts";

/** The kinds that a cluster serves: built-in and user-defined. */
export interface KindIndex {
  list(): readonly Kind[];
  find(group: string, version: string, resource: string): Kind | undefined;
  findByKind(group: string, version: string, kind: string): Kind | undefined;
  findCustom(kind: Kind): CustomKind | undefined;
  schemaOf(kind: Kind): Schema;
  readonly schemas: Schemas;
}

/** Creates an index that stays in sync with the cluster's CustomResourceDefinitions. */
export function createKindIndex(state: Pick<ClusterState, "list" | "version">): KindIndex {
  let readFor: readonly KubeObject[] = [];
  let custom = new Map<string, CustomKind>();

  // Definitions rarely change. Comparing them on each use is cheap and, unlike a notification, never late.
  function current(): Map<string, CustomKind> {
    const definitions = state.list("customresourcedefinitions.apiextensions.k8s.io");
    const isRead =
      definitions.length === readFor.length && definitions.every((definition, index) => definition === readFor[index]);
    if (isRead) return custom;
    readFor = definitions;
    custom = new Map(definitions.flatMap(customKinds).map((kind) => [kind.schema, kind]));
    return custom;
  }

  const schemas = createSchemas((name) => builtInSchemas.find(name) ?? current().get(name)?.openSchema);
  const list = (): Kind[] => [...builtInKinds, ...current().values()];
  return {
    list,
    find: (group, version, resource) =>
      list().find((kind) => kind.resource === resource && kind.group === group && kind.version === version),
    findByKind: (group, version, kind) =>
      list().find((one) => one.kind === kind && one.group === group && one.version === version),
    findCustom: (kind) => current().get(kind.schema),
    schemaOf: (kind) => schemas.find(kind.schema) ?? {},
    schemas,
  };
}
