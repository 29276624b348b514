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

/** The project that exists from the first start. */
export const defaultProject = "default";

/** Returns the project among everything above an entity. Undefined if there is none. */
export function findProject<Entity extends { readonly kind: string }>(entities: readonly Entity[]): Entity | undefined {
  return entities.find(({ kind }) => kind === project.kind);
}

/** Returns the project that an entity belongs to. A project belongs to itself, although no project contains it. */
export function projectOf({ kind, name, project: container }: { kind: string; name: string; project: string }): string {
  return kind === project.kind ? name : container;
}
