import type { LiveState } from "../data/live-store.ts";
import type { ReactNode } from "react";

/** The form values that all kinds share. */
export type CommonValues = {
  readonly name: string;
  readonly environment: string;
  readonly labels: readonly string[];
  /** The name of the parent, for kinds that are named below it. */
  readonly parent: string;
};

/** The form values of one kind. */
export type Values = Readonly<Record<string, unknown>>;

/** All values of a create form. */
export type Draft<Own extends Values = Values> = CommonValues & Own;

/** Props of a group of form fields. */
export interface FieldsProps<Own extends Values = Values> {
  readonly draft: Draft<Own>;
  /** Reports a change of the field at a path of the entity. */
  readonly set: (path: string, change: Partial<Draft<Own>>) => void;
  /**
   * Marks the input of a field, so that findings can link to it, and returns the messages for the field and for related
   * fields without an input.
   */
  readonly at: (
    path: string,
    ...others: readonly string[]
  ) => { readonly "data-field": string; readonly error: string | undefined };
}

/** The create form of a kind. Name, environment and labels are common to all kinds and not part of it. */
export interface CreateForm<Own extends Values = Values> {
  /** The least role that can create entities of the kind. */
  readonly role: "admin" | "editor";
  readonly defaults: Own;
  /** Returns defaults that depend on existing entities. */
  suggest?(kinds: LiveState["kinds"]): Partial<Own>;
  /** Builds the spec. Fields with default values are omitted. */
  buildSpec(draft: Draft<Own>): object;
  /** Labels of the fields by their path in the entity. Findings use them as links. */
  readonly labels: Readonly<Record<string, string>>;
  /** The form field of a finding that names its field differently. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** True if the server can run preflight checks before creation. */
  readonly hasPreflight: boolean;
  /** True if the server can preview the plan before creation. */
  readonly hasPreview?: boolean;
  /** True for kinds whose entities are assigned to environments. */
  readonly hasEnvironment: boolean;
  /** Renders the kind's fields next to its name. */
  renderCommonFields?(props: FieldsProps<Own>): ReactNode;
  /** Renders the kind's own panels. */
  renderFields?(props: FieldsProps<Own>): ReactNode;
}

/** Returns the values that are not empty. */
export function omitEmpty(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));
}
