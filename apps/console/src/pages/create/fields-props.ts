import type { Draft } from "./build-entity.ts";

/** What a group of fields works with. */
export interface FieldsProps {
  readonly draft: Draft;
  /** Takes a change of the field at a path of the entity. */
  readonly set: (path: string, change: Partial<Draft>) => void;
  /** What the server says of a field that somebody has touched. */
  readonly errorOf: (path: string) => string | undefined;
}
