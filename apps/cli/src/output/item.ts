import type { AnyEntity, Stored } from "@cloudwright/api-client";
import type { Kind } from "@cloudwright/contract/kinds";

/** An entity with its kind, plus facts that the entity itself does not contain. */
export interface Item {
  readonly kind: Kind;
  /** Only for node pools: the name of the cluster. */
  readonly cluster?: string | undefined;
  readonly entity: Stored<AnyEntity>;
  /** True if the entity's account is simulated. */
  readonly simulated?: boolean;
}

/** The `apiVersion` of entity documents. */
export const apiVersion = "cloudwright.v1";

/** Renders a name such as `cluster/dev` or `nodepool/dev/workers`. Every command that takes an entity accepts this form. */
export function itemName({ kind, cluster, entity }: Item): string {
  return [kind.words[0], ...(cluster === undefined ? [] : [cluster]), entity.metadata.name].join("/");
}

/** Renders an entity as a document for `cloud apply`. */
export function toDocument({ kind, cluster, entity }: Item): Record<string, unknown> {
  return { apiVersion, kind: kind.kind, ...(cluster === undefined ? {} : { cluster }), ...entity };
}

/** Renders several entities as a single list document. */
export function toListDocument(items: readonly Item[]): Record<string, unknown> {
  const names = new Set(items.map(({ kind }) => kind.kind));
  return { apiVersion, kind: names.size === 1 ? `${[...names][0]}List` : "List", items: items.map(toDocument) };
}
