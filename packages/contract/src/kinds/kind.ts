/** A field of a kind that names entities of another kind. Ordering, waiting, waking, fingerprints and deletion follow from these. */
export interface KindReference {
  /** The kind of the entities that the field names. */
  readonly kind: string;
  /** Dot-separated path to the field in `spec`, or the literal `path` if the URL names the parent entity. */
  readonly field: string;
  /** True if the field is a list of names. */
  readonly many: boolean;
  /**
   * True if the entity belongs to the one it names: it appears below it in the tree and is deleted with it. A kind may declare several
   * owning references; each entity sets exactly one of them.
   */
  readonly owning: boolean;
  /** True if an empty field means the calling user. Such a reference is not shown as the parent. */
  readonly defaultsToCaller?: boolean;
  /**
   * What deleting the named entity does: `refuse` while the reference exists, or `cascade` to this entity on request. Owning references
   * always cascade; others refuse by default.
   */
  readonly onDelete?: "refuse" | "cascade";
}

/** The fields of a task payload that list the parts of the task's entity. */
export type PartField = "nodePools";

/**
 * Everything that generic code needs to know about a kind. Each kind declares it in a file of its own, without loading
 * descriptors.
 */
export interface KindDeclaration {
  readonly kind: string;
  /** Path segment: `/v1/projects/{project}/<collection>`. */
  readonly collection: string;
  /** Singular and aliases as typed on the command line. */
  readonly words: readonly string[];
  /** Global kinds belong to no project. */
  readonly scope: "project" | "global";
  /** True if the platform builds something for entities of this kind: they have phases and can be paused. */
  readonly provisioned: boolean;
  readonly references: readonly KindReference[];
  /**
   * Set if entities of this kind are built by the runs of their owner instead of their own. The owner's task payload lists them under this
   * name.
   */
  readonly builtByOwnerAs?: PartField;
  /** Set if the spec has one part per cloud. An `inherited` cloud is the owner's; either is fixed at creation. */
  readonly cloud?: "own" | "inherited";
  /**
   * Set if spec and status have this field with a Kubernetes version, and each run raises it by one minor version at most. A higher one takes
   * several runs of one operation.
   */
  readonly versionField?: string;
  /** Risks that an update can be allowed to take without approval. Empty if updating an entity never puts data or traffic at risk. */
  readonly allows?: readonly string[];
  /** True for kinds that the platform writes to record its work. They never keep another entity from being deleted. */
  readonly isRecord?: boolean;
  /** True if lists of the kind take neither a label selector nor an order. */
  readonly hasPlainList?: boolean;
  /** True if entities of the kind belong to no environment. */
  readonly outsideEnvironments?: boolean;
}

/** A kind with its parent, which is derived from its references. */
export interface Kind extends KindDeclaration {
  /** The kind above this one in the tree, and the spec field that names it; no field if the URL names it. */
  readonly parent?: { readonly kind: string; readonly field: string | undefined };
}
