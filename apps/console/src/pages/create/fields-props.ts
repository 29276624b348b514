import type { Draft } from "./build-entity.ts";

/** Props of a group of form fields. */
export interface FieldsProps {
  readonly draft: Draft;
  /** Reports a change of the field at a path of the entity. */
  readonly set: (path: string, change: Partial<Draft>) => void;
  /**
   * Marks the input of a field, so that findings can link to it, and returns the messages for the field and for related
   * fields without an input.
   */
  readonly at: (
    path: string,
    ...others: readonly string[]
  ) => { readonly "data-field": string; readonly error: string | undefined };
}
