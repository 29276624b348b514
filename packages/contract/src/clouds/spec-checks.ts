/** An entity whose spec is checked against the rules of its cloud. */
export interface CheckedEntity {
  readonly name: string;
  /** The spec in JSON form. */
  readonly spec: Readonly<Record<string, unknown>>;
  /** The spec of the entity's owner, such as a node pool's cluster, in JSON form. */
  readonly owner: Readonly<Record<string, unknown>>;
  /** The region of the entity's network. Empty if it is unknown. */
  readonly region: string;
}

/** A field that the cloud does not accept. The message continues a sentence that starts with the field. */
export interface SpecProblem {
  readonly field: string;
  readonly message: string;
  /** True if the cloud has no such setting at all, whatever its value. */
  readonly isUnsupported?: boolean;
}

/** Returns the fields that the cloud does not accept. */
export type SpecCheck = (entity: CheckedEntity) => readonly SpecProblem[];

/** The fields of a node pool's spec to which a cloud's rules apply. */
export interface NodePoolShape {
  readonly existing?: boolean;
  readonly instanceType?: string;
  readonly instanceTypes?: readonly string[];
  readonly min?: number;
  readonly desired?: number;
  readonly autoscaling?: boolean;
  readonly capacity?: string;
  readonly diskSizeGib?: number;
  readonly nodeLabels?: Readonly<Record<string, string>>;
}

/** The fields of a volume to which a cloud's rules apply. */
export interface VolumeShape {
  readonly sizeGib?: number;
  readonly type?: string;
  readonly iops?: number;
  readonly throughputMib?: number;
  readonly encryptionKey?: string;
  readonly finalSnapshot?: boolean;
}

/** The fields of a bucket to which a cloud's rules apply. */
export interface BucketShape {
  readonly encryptionKey?: string;
  readonly lifecycleRules?: readonly LifecycleRuleShape[];
  readonly replication?: { readonly encryptionKey?: string };
  readonly policy?: unknown;
  readonly abortUploadsAfterDays?: number;
}

export interface LifecycleRuleShape {
  readonly id?: string;
  readonly expireAfterDays?: number;
  readonly expireNoncurrentAfterDays?: number;
  readonly abortUploadsAfterDays?: number;
  readonly transitions?: readonly { readonly afterDays?: number; readonly storageClass?: string }[];
}

/** A possible problem, and whether the entity has it. */
export type Suspicion = readonly [isWrong: boolean, field: string, message: string, isUnsupported?: boolean];

/** Returns the problems that the entity has. */
export function confirmProblems(suspicions: readonly Suspicion[]): SpecProblem[] {
  return suspicions.flatMap(([isWrong, field, message, isUnsupported = false]) =>
    isWrong ? [{ field, message, ...(isUnsupported ? { isUnsupported } : {}) }] : [],
  );
}

/**
 * Returns the problem with a node pool that lists several machine types, in a cloud whose pools have a single one. In a cluster that the
 * platform did not create, a list with one type is equivalent to a single type.
 */
export function suspectSeveralTypes(service: string, { instanceTypes = [] }: NodePoolShape, isExisting: boolean): Suspicion {
  const message = `lists several machine types, but ${service} node pools have a single one; set spec.instanceType instead`;
  return [instanceTypes.length > (isExisting ? 1 : 0), "spec.instanceTypes", message];
}

/** A cloud's limits for one type of volume. */
export interface VolumeLimits {
  readonly sizeGib: readonly [least: number, most: number];
  /** Undefined if the IOPS of this type cannot be set. */
  readonly iops?: readonly [least: number, most: number];
  /** True if the IOPS of this type must be set. */
  readonly needsIops?: boolean;
  /** Undefined if the throughput of this type cannot be set. */
  readonly throughputMib?: readonly [least: number, most: number];
}

/** Returns the problems with a volume's type, size, IOPS and throughput. */
export function listVolumeProblems(
  types: Readonly<Record<string, VolumeLimits>>,
  { type, sizeGib, iops, throughputMib }: Required<Pick<VolumeShape, "type" | "sizeGib" | "iops" | "throughputMib">>,
): SpecProblem[] {
  const limits = Object.hasOwn(types, type) ? types[type] : undefined;
  if (limits === undefined)
    return [{ field: "spec.volume.type", message: `is "${type}"; use one of ${Object.keys(types).join(", ")}` }];
  const [least, most] = limits.sizeGib;
  return confirmProblems([
    [sizeGib < least || sizeGib > most, "spec.volume.sizeGib", `is ${sizeGib}; ${type} volumes have ${least} to ${most} GiB`],
    suspectSpeed(types, type, "iops", iops),
    suspectSpeed(types, type, "throughputMib", throughputMib),
    [limits.needsIops === true && iops === 0, "spec.volume.iops", `is required for ${type} volumes`],
  ]);
}

function suspectSpeed(
  types: Readonly<Record<string, VolumeLimits>>,
  type: string,
  setting: "iops" | "throughputMib",
  value: number,
): Suspicion {
  const field = `spec.volume.${setting}`;
  const limits = types[type]?.[setting];
  if (limits === undefined) {
    const able = Object.keys(types).filter((each) => types[each]?.[setting] !== undefined);
    return [value > 0, field, `is only supported for ${able.join(", ")} volumes, not for ${type}`];
  }
  const [least, most] = limits;
  return [value > 0 && (value < least || value > most), field, `is ${value}; ${type} volumes allow ${least} to ${most}`];
}

/** A cloud's rules for the lifecycle rules of buckets. */
export interface LifecycleFacts {
  /** Storage classes that objects can move to, with the least number of days after which they can move there. */
  readonly classes: Readonly<Record<string, number>>;
  /** Ids that the configuration uses for its own rules. */
  readonly reservedIds: readonly string[];
  /** True if ids that differ only in case are the same. */
  readonly ignoresCase?: boolean;
}

/** Returns the problems with a bucket's lifecycle rules. */
export function listLifecycleProblems(facts: LifecycleFacts, rules: readonly LifecycleRuleShape[]): SpecProblem[] {
  const { reservedIds, ignoresCase = false } = facts;
  const ids = [...reservedIds, ...rules.map(({ id = "" }) => (ignoresCase ? id.toLowerCase() : id))];
  return rules.flatMap((rule, index) => {
    const at = `spec.bucket.lifecycleRules[${index}]`;
    const place = index + reservedIds.length;
    const isTwin = ids.indexOf(ids[place] ?? "") !== place;
    return [
      ...confirmProblems([[isTwin, `${at}.id`, `is already in use: ${rule.id ?? ""}`]]),
      ...listTransitionProblems(facts, rule, at),
    ];
  });
}

function listTransitionProblems(
  { classes }: LifecycleFacts,
  { transitions = [], expireAfterDays = 0 }: LifecycleRuleShape,
  rule: string,
): SpecProblem[] {
  return transitions.flatMap(({ afterDays = 0, storageClass = "" }, index) => {
    const at = `${rule}.transitions[${index}]`;
    const least = Object.hasOwn(classes, storageClass) ? (classes[storageClass] ?? 0) : undefined;
    if (least === undefined) {
      const message = `is ${storageClass}; use one of ${Object.keys(classes).join(", ")}`;
      return [{ field: `${at}.storageClass`, message }];
    }
    const isTwin = transitions.findIndex((other) => other.storageClass === storageClass) !== index;
    const days = least === 1 ? "one day" : `${least} days`;
    return confirmProblems([
      [isTwin, `${at}.storageClass`, `is used twice: ${storageClass}`],
      [
        afterDays < least,
        `${at}.afterDays`,
        `is ${afterDays}; objects can move to ${storageClass} after ${days} at the earliest`,
      ],
      [
        expireAfterDays > 0 && afterDays >= expireAfterDays,
        `${at}.afterDays`,
        `is ${afterDays}, but the objects expire after ${expireAfterDays} days`,
      ],
    ]);
  });
}
