/** JSON, as the API has it. */
export type KubeJson = null | boolean | number | string | readonly KubeJson[] | { readonly [key: string]: KubeJson };

/** A kind in one of its versions: `apps/v1`, `Deployment`. */
export interface KubeKind {
  readonly apiVersion: string;
  readonly kind: string;
}

/** What names an object of a cluster. */
export interface KubeRef extends KubeKind {
  /** Of kinds that live in namespaces. */
  readonly namespace?: string;
  readonly name: string;
}

/** The part of an object that is the same for all kinds. */
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
  readonly ownerReferences?: readonly (KubeKind & { readonly name: string; readonly uid: string })[];
}

/** An object of a cluster; what its kind has beside the metadata is read where it is used. */
export interface KubeObject extends KubeKind {
  readonly metadata: KubeMetadata;
  readonly spec?: any;
  readonly status?: any;
  readonly [field: string]: any;
}

/** What names this object. */
export function refOf({ apiVersion, kind, metadata }: Pick<KubeObject, "apiVersion" | "kind" | "metadata">): KubeRef {
  const { namespace, name } = metadata;
  return { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) };
}

/** An object in words: `Deployment kube-system/coredns`. */
export function describeRef({ kind, namespace, name }: Omit<KubeRef, "apiVersion">): string {
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}
