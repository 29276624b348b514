import type { KindDeclaration } from "./kind.ts";

export const defaultNetworkCidr = "10.0.0.0/16";

export const network = {
  kind: "Network",
  collection: "networks",
  words: ["network", "vpc"],
  scope: "project",
  provisioned: true,
  hasDriftChecks: true,
  references: [{ kind: "Account", field: "account", many: false, owning: true }],
  cloud: "inherited",
  labelsAreTags: true,
  hasRemovalPreview: true,
  allows: ["replace", "delete"],
} as const satisfies KindDeclaration;

/** Finds the network in a list that contains an entity and its ancestors. Returns undefined if there is none. */
export function findNetwork<Entity extends { readonly kind: string }>(entities: readonly Entity[]): Entity | undefined {
  return entities.find(({ kind }) => kind === network.kind);
}
