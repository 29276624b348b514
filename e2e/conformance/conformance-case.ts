/** Values of a configuration's variables, keyed by name. */
export type Variables = Readonly<Record<string, unknown>>;

/** The id with which Terraform imports a resource. The `{id}` placeholder stands for the id of the resource at the address `of`. */
export interface Adoption {
  readonly id: string;
  readonly of?: string;
}

/** A change to an applied configuration. */
export interface Change {
  /** Path of the configuration's new version, for example `network/gcp/v1.1.0`. By default, the version does not change. */
  readonly place?: string;
  /** New values of variables. All other variables keep their values. */
  readonly variables?: Variables;
  /** Resources that this change adopts, keyed by address. Outside these tests, the platform finds them in the cloud before it plans. */
  readonly adopts?: Readonly<Record<string, Adoption>>;
  /** Matches the addresses of resources that this change may replace or delete. By default, it may not replace or delete any. */
  readonly mayRemove?: RegExp;
}

/** A test case that applies a configuration, changes it and destroys it. After each apply, Terraform must plan no further changes. */
export interface ConformanceCase {
  readonly title: string;
  /** Path of the configuration and its version, for example `network/gcp/v1.0.0`. */
  readonly place: string;
  readonly variables: Variables;
  readonly changes?: readonly Change[];
  /** Whether to create and destroy everything a second time at the end. This covers clouds that reserve the names of deleted resources. */
  readonly isRepeated?: boolean;
}
