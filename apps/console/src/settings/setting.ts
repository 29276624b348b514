import type { Tree } from "../data/spec-paths.ts";

/** Setting values, keyed by dotted path in the spec. Settings with their default value are absent. */
export type SettingValues = Tree;

interface Described {
  /** Path in the spec, such as `endpoint.public`. */
  readonly path: string;
  readonly label: string;
  readonly description?: string;
  readonly placeholder?: string;
  /** Path of another setting. This setting applies only if the other one is set and not false. */
  readonly needs?: string;
}

/** Declarative description of a field in a create form. */
export type Setting = Described &
  (
    | { readonly input: "text" }
    | { readonly input: "number"; readonly min?: number; readonly max: number }
    /** `isOn` is true if the setting is on by default. */
    | { readonly input: "switch"; readonly isOn?: boolean }
    /** A switch that adds or removes a section whose presence alone is meaningful. */
    | { readonly input: "section" }
    /** One of several values. `usual` is the label of the default option. */
    | { readonly input: "choice"; readonly usual: string; readonly options: readonly Option[] }
    /** Any number of the listed values. */
    | { readonly input: "choices"; readonly options: readonly string[] }
    /** A list of strings. */
    | { readonly input: "list" }
    /** Key-value pairs, entered as `key=value`. */
    | { readonly input: "map" }
    /** Kubernetes taints, entered as `key=value:effect`. */
    | { readonly input: "taints" }
  );

export type Option = readonly [value: string | boolean, label: string];

/** Settings under one heading. */
export interface SettingGroup {
  readonly title: string;
  /** True if most users do not need these settings. The group is then collapsed by default. */
  readonly isAdvanced?: boolean;
  readonly settings: readonly Setting[];
}
