import type { KindDeclaration } from "./kind.ts";

export const project = {
  kind: "Project",
  collection: "projects",
  words: ["project"],
  scope: "global",
  provisioned: false,
  references: [],
} as const satisfies KindDeclaration;

/** Role bindings in this project apply to every project. */
export const systemProject = "system";

/** Project that the server creates when it starts for the first time. */
export const defaultProject = "default";

/** Finds the project in a list of an entity's ancestors. Returns undefined if there is none. */
export function findProject<Entity extends { readonly kind: string }>(entities: readonly Entity[]): Entity | undefined {
  return entities.find(({ kind }) => kind === project.kind);
}

/** Returns the name of the project that an entity belongs to. A project counts as belonging to itself. */
export function projectOf({ kind, name, project: container }: { kind: string; name: string; project: string }): string {
  return kind === project.kind ? name : container;
}
