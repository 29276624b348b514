import type { LiveState } from "../data/live-store.ts";
import { getPath, removePath, type Tree } from "../data/spec-paths.ts";
import type { SettingGroup, SettingValues } from "../settings/setting.ts";
import type { ReactNode } from "react";

/** The form values that all kinds share. */
export type CommonValues = {
  readonly name: string;
  readonly environment: string;
  readonly labels: readonly string[];
  /** The name of the parent. Used only by nested kinds. */
  readonly parent: string;
  /** Values of the settings that the cloud adds to the form. */
  readonly settings: SettingValues;
  /** The part of the spec that has no fields in the form. Users can edit it as YAML. */
  readonly rest: Tree;
  /** The part of the metadata that has no fields in the form. */
  readonly restOfMetadata: Tree;
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
  /**
   * Returns default values that depend on existing entities. `parent` is the name of the suggested parent, or an empty string if there is
   * none.
   */
  suggest?(kinds: LiveState["kinds"], parent: string): Partial<Own>;
  /** Builds the spec from the kind-specific form values. Omits fields with default values. */
  buildSpec(draft: Draft<Own>): object;
  /** Reads the kind-specific form values from a spec. `rest` contains the fields that the form does not have or cannot show. */
  parseSpec(spec: Tree): { readonly values: Own; readonly rest: Tree };
  /** The settings that this form can show, for all clouds. */
  readonly settings?: readonly SettingGroup[];
  /** The labels of form fields, keyed by the field's path in the entity. Findings use them as link text. */
  readonly labels: Readonly<Record<string, string>>;
  /** Maps the field of a finding to a form field that has a different name. */
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

/** Reads form values from a spec one at a time. The rest is the part of the spec that has not been read yet. */
export interface SpecReader {
  /**
   * Removes the value at a path from the rest and returns it. If the value is missing or its type differs from that of `blank`, returns
   * `blank` and leaves the rest unchanged.
   */
  take<Value extends string | boolean | readonly string[]>(path: string, blank: Value): Value;
  /** Removes the integer at a path from the rest and returns it. Returns an empty string if there is no integer. */
  takeNumber(path: string): number | "";
  /** Returns the part of the spec that has not been read. */
  rest(): Tree;
}

export function readSpec(spec: Tree): SpecReader {
  let rest = spec;
  const takeIf = (path: string, isShown: (value: unknown) => boolean): unknown => {
    const value = getPath(rest, path);
    if (value === undefined || !isShown(value)) return undefined;
    rest = removePath(rest, path);
    return value;
  };
  return {
    take: <Value extends string | boolean | readonly string[]>(path: string, blank: Value) =>
      (takeIf(path, (value) =>
        Array.isArray(blank)
          ? Array.isArray(value) && value.every((each) => typeof each === "string")
          : typeof value === typeof blank,
      ) ?? blank) as Value,
    takeNumber: (path) => (takeIf(path, Number.isInteger) ?? "") as number | "",
    rest: () => rest,
  };
}
