import type { Draft } from "./build-entity.ts";

/** What a group of fields works with. */
export interface FieldsProps {
  readonly draft: Draft;
  /** Takes a change of the field at a path of the entity. */
  readonly set: (path: string, change: Partial<Draft>) => void;
  /** Marks the input of a field, so that one can be led to it, with what is said of the field; of the others too, that have no input. */
  readonly at: (
    path: string,
    ...others: readonly string[]
  ) => { readonly "data-field": string; readonly error: string | undefined };
}
