/**
 * A field that refers to entities of another kind. References determine the order of creation and deletion, which entities wait for others,
 * and what fingerprints include.
 */
export interface KindReference {
  /** Kind of the entities that the field refers to. */
  readonly kind: string;
  /** Dot-separated path to the field in `spec`. The literal `path` means that the URL names the parent entity. */
  readonly field: string;
  /** True if the field can contain several names. */
  readonly many: boolean;
  /**
   * True if the referenced entity owns this one. An owned entity appears below its owner in the tree and is deleted with it. A kind may
   * declare several owning references; each entity sets exactly one of them.
   */
  readonly owning: boolean;
  /** True if an empty field means the calling user. In that case, the tree does not show the referenced user as the parent. */
  readonly defaultsToCaller?: boolean;
  /**
   * What happens to this entity when the referenced entity is deleted. `refuse` blocks the deletion. `cascade` deletes this entity too if
   * the request allows it. Owning references always cascade; others refuse by default.
   */
  readonly onDelete?: "refuse" | "cascade";
  /**
   * True if two entities may refer to each other in this field. Such entities neither wait for each other when they are built nor when they are
   * deleted together.
   */
  readonly isMutual?: true;
  /**
   * True if the agent that runs a task of this entity also receives the secrets of the referenced entity, and of what that entity refers to
   * in the same way.
   */
  readonly lendsSecrets?: true;
  /** A word that stands for the entity itself instead of a name. Set only for references of a kind to itself. */
  readonly selfWord?: string;
}

/** Task payload fields that list an entity's parts: the entities that its runs build, such as a cluster's node pools. */
export type PartField = "nodePools";

/** Everything that generic code needs to know about a kind. Declaring a kind does not load the protobuf descriptors. */
export interface KindDeclaration {
  readonly kind: string;
  /** Path segment in `/v1/projects/{project}/<collection>`. */
  readonly collection: string;
  /** Names of the kind on the command line: the singular first, then aliases. */
  readonly words: readonly string[];
  /** Entities of global kinds do not belong to a project. */
  readonly scope: "project" | "global";
  /** True if the platform builds infrastructure for entities of this kind. Such entities have phases and can be paused. */
  readonly provisioned: boolean;
  /**
   * True if the platform can compare the cloud resources of an entity with what it applied. Entities that are built by their owner's runs
   * are checked with the owner.
   */
  readonly hasDriftChecks?: boolean;
  readonly references: readonly KindReference[];
  /** Set if entities of this kind are built by their owner's runs. The owner's task payload lists them in this field. */
  readonly builtByOwnerAs?: PartField;
  /** Set if the spec has a section per cloud. `own`: the spec selects the cloud. `inherited`: the entity is in its owner's cloud. */
  readonly cloud?: "own" | "inherited";
  /**
   * Name of the field in spec and status that contains a Kubernetes version. Each run raises the version by at most one minor version, so a
   * larger upgrade takes several runs.
   */
  readonly versionField?: string;
  /** Risky effects that an update request can allow without approval. Empty if updates never put data or traffic at risk. */
  readonly allows?: readonly string[];
  /**
   * True if the labels of an entity become tags of its cloud resources. In that case, changing a label starts a run and increases the
   * generation.
   */
  readonly labelsAreTags?: boolean;
  /** True if a preview can list what the deletion of an entity would remove. */
  readonly hasRemovalPreview?: boolean;
  /** True if entities of this kind contain persistent volume claims. Deleting such an entity must either keep or delete the volumes. */
  readonly hasClaimVolumes?: boolean;
  /** True for kinds that record the platform's own work. Records never block the deletion of another entity. */
  readonly isRecord?: boolean;
  /** True if lists of this kind support neither label selectors nor sorting. */
  readonly hasPlainList?: boolean;
  /** True if entities of this kind do not belong to an environment. */
  readonly outsideEnvironments?: boolean;
}

/** A kind together with its parent, which is derived from the references. */
export interface Kind extends KindDeclaration {
  /** Kind of the parent and the spec field that names it. The field is undefined if the URL names the parent. */
  readonly parent?: { readonly kind: string; readonly field: string | undefined };
}
