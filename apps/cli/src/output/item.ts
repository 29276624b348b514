import type { AnyEntity, Stored } from "@cloudwright/api-client";
import type { Kind } from "@cloudwright/contract/kinds";

/** An entity with properties that are part of its path but not of its body. */
export interface Item {
  readonly kind: Kind;
  /** The cluster of a node pool. */
  readonly cluster?: string | undefined;
  readonly entity: Stored<AnyEntity>;
  /** Whether its account is simulated. */
  readonly simulated?: boolean;
}

/** The apiVersion of documents. */
export const apiVersion = "cloudwright.v1";

/** `cluster/dev`, or `nodepool/dev/workers`: renders a name that is accepted wherever an entity is named. */
export function itemName({ kind, cluster, entity }: Item): string {
  return [kind.words[0], ...(cluster === undefined ? [] : [cluster]), entity.metadata.name].join("/");
}

/** Renders an entity as a document that `cloud apply` accepts. */
export function toDocument({ kind, cluster, entity }: Item): Record<string, unknown> {
  return { apiVersion, kind: kind.kind, ...(cluster === undefined ? {} : { cluster }), ...entity };
}

/** Renders several entities as one document. */
export function toListDocument(items: readonly Item[]): Record<string, unknown> {
  const names = new Set(items.map(({ kind }) => kind.kind));
  return { apiVersion, kind: names.size === 1 ? `${[...names][0]}List` : "List", items: items.map(toDocument) };
}
