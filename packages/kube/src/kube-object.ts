/** A JSON value in an API object. */
export type KubeJson = null | boolean | number | string | readonly KubeJson[] | { readonly [key: string]: KubeJson };

/** A kind in one API version, such as `Deployment` in `apps/v1`. */
export interface KubeKind {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Identifies an object in a cluster. */
export interface KubeRef extends KubeKind {
  /** Set for namespaced kinds. */
  readonly namespace?: string;
  readonly name: string;
}

/** The metadata that all kinds share. */
export interface KubeMetadata {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly (KubeKind & {
    readonly name: string;
    readonly uid: string;
    readonly controller?: boolean;
  })[];
}

/** An object in a cluster. Kind-specific fields are typed where they are used. */
export interface KubeObject extends KubeKind {
  readonly metadata: KubeMetadata;
  readonly spec?: any;
  readonly status?: any;
  readonly [field: string]: any;
}

/** Returns the reference that identifies an object. */
export function refOf({ apiVersion, kind, metadata }: Pick<KubeObject, "apiVersion" | "kind" | "metadata">): KubeRef {
  const { namespace, name } = metadata;
  return { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) };
}

/** Renders an object's kind and name for messages, such as `Deployment kube-system/coredns`. */
export function describeRef({ kind, namespace, name }: Omit<KubeRef, "apiVersion">): string {
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}
