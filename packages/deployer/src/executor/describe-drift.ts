import { dropIgnoredChanges, type IgnoreRule, type ResourceSchemas } from "@cloudwright/terraform";
import { findText, objectOf, type JsonObject, type ReadonlyJson } from "@cloudwright/platform";
import type { PlannedChange } from "./executor-plan.ts";
import { renderPath } from "./render-path.ts";

/** Resources that changed or disappeared in the cloud since the last apply. Sensitive values are masked. */
export interface Drift {
  readonly drifted: boolean;
  /** One line that describes at most five changes. */
  readonly summary: string;
  readonly items: readonly {
    readonly address: string;
    readonly resourceType: string;
    readonly action: "update" | "delete";
    readonly paths: readonly string[];
    /**
     * Old and new values. Sensitive values are null, and long values are truncated. The list is empty if the report would become too large.
     */
    readonly attributes: readonly DriftedAttribute[];
    /** The resource's ID in the cloud. */
    readonly id?: string;
    readonly author?: string;
    readonly authorAction?: string;
    readonly changedAt?: string;
  }[];
  /** Number of changed attributes that the report leaves out because of ignore rules. */
  readonly ignored: number;
  /** Outputs that replace those of the last run in the entity's status. Only for entities that the platform did not create. */
  readonly observed?: JsonObject;
}

/** An attribute that was changed outside the platform. `before` is the applied value, `after` the value in the cloud. */
export interface DriftedAttribute {
  readonly path: string;
  readonly before: ReadonlyJson;
  readonly after: ReadonlyJson;
  readonly sensitive: boolean;
}

/**
 * Summarises changes as drift and leaves out attributes that the rules ignore. Paths stop at a set, because an ignore rule cannot name an
 * element of a set. Therefore, every reported path can be used in a rule.
 */
export function describeDrift(
  changes: readonly PlannedChange[],
  rules: readonly IgnoreRule[],
  { cutAtSet }: ResourceSchemas = { cutAtSet: (_type, path) => path },
): Drift {
  const changed = changes.filter(({ action, changedPaths }) => action === "delete" || changedPaths.length > 0);
  const left = dropIgnoredChanges(changed, rules);
  let room = mostCharacters;
  const describeAll = ({ action, changedPaths }: PlannedChange): DriftedAttribute[] => {
    const attributes = action === "delete" ? [] : changedPaths.slice(0, mostAttributes).map(describeAttribute);
    room -= JSON.stringify(attributes).length;
    return room < 0 ? [] : attributes;
  };
  const count = (all: readonly PlannedChange[]): number => all.reduce((sum, { changedPaths }) => sum + changedPaths.length, 0);
  return {
    drifted: left.length > 0,
    summary: summarise(left),
    items: left.map((change) => {
      const { address, resourceType, action, changedPaths } = change;
      return {
        address,
        resourceType,
        action: action === "delete" ? "delete" : "update",
        paths: action === "delete" ? [] : [...new Set(changedPaths.map(({ path }) => renderPath(cutAtSet(resourceType, path))))],
        attributes: describeAll(change),
        ...findId(change.before, change.after),
      };
    }),
    ignored: count(changed) - count(left),
  };
}

/** Limits for the reported attribute values. Lists of paths are never shortened. */
const mostAttributes = 100;
const mostCharacters = 200_000;
const longestValue = 1000;

function describeAttribute({ path, before, after, isSensitive }: PlannedChange["changedPaths"][number]): DriftedAttribute {
  const show = (value: ReadonlyJson): ReadonlyJson => (isSensitive ? null : cutOff(value));
  return { path: renderPath(path), before: show(before), after: show(after), sensitive: isSensitive };
}

/** Drift is stored with the entity, so a long value, such as a policy document, is replaced by the beginning of its JSON text. */
function cutOff(value: ReadonlyJson): ReadonlyJson {
  const text = JSON.stringify(value ?? null);
  return text.length <= longestValue ? (value ?? null) : `${text.slice(0, longestValue)}...`;
}

function findId(...versions: readonly ReadonlyJson[]): { id?: string } {
  const id = versions.map((version) => findText(objectOf(version)["id"])).find((each) => each !== undefined);
  return id === undefined ? {} : { id };
}

const named = 5;

function summarise(changes: readonly Pick<PlannedChange, "address" | "action" | "changedPaths">[]): string {
  const parts = changes.slice(0, named).map(({ address, action, changedPaths }) => {
    if (action === "delete") return `${address} no longer exists`;
    const paths = [...new Set(changedPaths.map(({ path }) => String(path[0])))];
    return `${address}: ${paths.join(", ")} changed`;
  });
  return [...parts, ...(changes.length > named ? [`and ${changes.length - named} more`] : [])].join("; ");
}
