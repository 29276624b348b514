import type { LiveState } from "../data/live-store.ts";
import type { ReactNode } from "react";

/** The form values that all kinds share. */
export type CommonValues = {
  readonly name: string;
  readonly environment: string;
  readonly labels: readonly string[];
  /** The name of the parent. Used only by nested kinds. */
  readonly parent: string;
};

/** The form values specific to one kind. */
export type Values = Readonly<Record<string, unknown>>;

export type Draft<Own extends Values = Values> = CommonValues & Own;

export interface FieldsProps<Own extends Values = Values> {
  readonly draft: Draft<Own>;
  /** Updates the form value for the entity field at `path`. */
  readonly set: (path: string, change: Partial<Draft<Own>>) => void;
  /**
   * Returns the props that tie an input to the entity field at `path`. The error also covers related fields that have no input of their
   * own.
   */
  readonly at: (
    path: string,
    ...others: readonly string[]
  ) => { readonly "data-field": string; readonly error: string | undefined };
}

/** The create form of a kind. Name, environment and labels are common to all kinds and therefore not included. */
export interface CreateForm<Own extends Values = Values> {
  /** The lowest role that can create entities of this kind. */
  readonly role: "admin" | "editor";
  readonly defaults: Own;
  /** Returns default values that depend on existing entities. */
  suggest?(kinds: LiveState["kinds"]): Partial<Own>;
  /** Builds the spec from the form values. Omits fields with default values. */
  buildSpec(draft: Draft<Own>): object;
  /** The labels of form fields by their path in the entity. Findings use them as link text. */
  readonly labels: Readonly<Record<string, string>>;
  /** Maps a finding's field to a form field of a different name. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** True if the server can run preflight checks before creation. */
  readonly hasPreflight: boolean;
  /** True if the server can preview the plan before creation. */
  readonly hasPreview?: boolean;
  /** True if entities of this kind can be assigned to an environment. */
  readonly hasEnvironment: boolean;
  /** Renders the kind-specific fields in the same panel as the name. */
  renderCommonFields?(props: FieldsProps<Own>): ReactNode;
  /** Renders the kind-specific panels. */
  renderFields?(props: FieldsProps<Own>): ReactNode;
}

/** Returns the entries whose value is not empty. */
export function omitEmpty(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));
}
