import type { KindDeclaration } from "./kind.ts";

export const account = {
  kind: "Account",
  collection: "accounts",
  words: ["account"],
  scope: "project",
  provisioned: true,
  references: [],
  cloud: "own",
} as const satisfies KindDeclaration;

/** Finds the account in a list that contains an entity and its ancestors. Returns undefined if there is none. */
export function findAccount<Entity extends { readonly kind: string }>(entities: readonly Entity[]): Entity | undefined {
  return entities.find(({ kind }) => kind === account.kind);
}
