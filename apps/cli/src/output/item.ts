import type { AnyEntity, Stored } from "@cloudwright/api-client";
import type { Kind } from "@cloudwright/contract/kinds";

/** An entity together with what its path says and its body does not. */
export interface Item {
  readonly kind: Kind;
  /** The cluster of a node pool. */
  readonly cluster?: string | undefined;
  readonly entity: Stored<AnyEntity>;
  /** It is in a simulated account. */
  readonly simulated?: boolean;
}

/** The version that documents carry. */
export const apiVersion = "cloudwright.v1";

/** `cluster/dev`, or `nodepool/dev/workers`: accepted wherever an entity is named. */
export function itemName({ kind, cluster, entity }: Item): string {
  return [kind.words[0], ...(cluster === undefined ? [] : [cluster]), entity.metadata.name].join("/");
}

/** The entity as a document that `cloud apply` takes back. */
export function toDocument({ kind, cluster, entity }: Item): Record<string, unknown> {
  return { apiVersion, kind: kind.kind, ...(cluster === undefined ? {} : { cluster }), ...entity };
}

/** Several entities as one document. */
export function toListDocument(items: readonly Item[]): Record<string, unknown> {
  const names = new Set(items.map(({ kind }) => kind.kind));
  return { apiVersion, kind: names.size === 1 ? `${[...names][0]}List` : "List", items: items.map(toDocument) };
}
