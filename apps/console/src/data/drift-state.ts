import type { AnyEntity } from "@cloudwright/api-client";
import { kinds, type Kind } from "@cloudwright/contract/kinds";
import type { Tone } from "../design/phase.ts";

/** Result of an entity's last drift check. */
export interface DriftState {
  readonly state: string;
  readonly checkedAt?: string;
  readonly resources?: number;
  readonly message?: string;
}

/** Kinds whose cloud resources can be checked for drift. */
export const checkedKinds = kinds.filter((kind: Kind) => kind.hasDriftChecks === true).map(({ kind }) => kind);

/** Returns the result of the last drift check. The state is NEVER_CHECKED if there was no check. */
export function driftOf(entity: AnyEntity): DriftState {
  const { drift = {} } = (entity.status ?? {}) as { drift?: Partial<DriftState> };
  return { ...drift, state: drift.state || "NEVER_CHECKED" };
}

/** Returns whether an entity has resources that can be checked: it was built and is not being deleted. */
export function isCheckable({ metadata, status }: AnyEntity): boolean {
  return metadata?.deletedAt === undefined && (status?.observedGeneration ?? 0) > 0;
}

const words: Readonly<Record<string, { readonly word: string; readonly tone: Tone }>> = {
  NEVER_CHECKED: { word: "never checked", tone: "idle" },
  IN_SYNC: { word: "no drift", tone: "good" },
  DRIFTED: { word: "drifted", tone: "warn" },
  OUTDATED: { word: "not checked since the last change", tone: "idle" },
  CHECK_FAILED: { word: "the last check failed", tone: "bad" },
};

/** Describes the result of a drift check in a few words. */
export function describeDrift({ state, resources = 0 }: DriftState): { readonly word: string; readonly tone: Tone } {
  const known = words[state] ?? { word: state.toLowerCase(), tone: "idle" as const };
  if (state !== "DRIFTED" || resources === 0) return known;
  return { ...known, word: `${known.word}: ${resources} resource${resources === 1 ? "" : "s"}` };
}

/** Summarizes the drift of a project in one line. Reports that there is no drift only if all entities were checked. */
export function summarizeDrift(entities: readonly AnyEntity[]): string {
  const states = entities.filter(isCheckable).map((entity) => driftOf(entity).state);
  const count = (...wanted: string[]): number => states.filter((state) => wanted.includes(state)).length;
  const parts = [
    [count("DRIFTED"), "drifted"],
    [count("NEVER_CHECKED"), "never checked"],
    [count("OUTDATED"), "not checked since a change"],
    [count("CHECK_FAILED"), "could not be checked"],
  ] as const;
  const some = parts.filter(([number]) => number > 0).map(([number, word]) => `${number.toLocaleString("en")} ${word}`);
  if (states.length === 0) return "nothing to check yet";
  return some.length === 0 ? "everything matches what was applied" : some.join(" · ");
}
