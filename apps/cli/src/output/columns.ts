import { getKind, isNamedBelow, type KindName } from "@cloudwright/contract/kinds";
import { cliKindOf } from "../kinds/registry.ts";
import { driftOf, renderDriftState } from "../runs/drift-status.ts";
import { renderAge } from "./age.ts";
import type { Item } from "./item.ts";
import { renderLabels } from "./labels.ts";
import type { Paint } from "./paint.ts";
import type { Column } from "./table.ts";

/** Returns the columns for a kind: name, phase, kind-specific fields, message and age. */
export function columnsOf(
  kind: KindName,
  { nowMs, wide, paint }: { nowMs: number; wide: boolean; paint: Paint },
): Column<Item>[] {
  const declared = getKind(kind);
  const { columns: shown, parentColumn, progress } = cliKindOf(declared);
  const hasState = progress === "state";
  const hasPhase = progress !== "none";
  const columns: Column<Item>[] = [
    ...(isNamedBelow(declared)
      ? [{ title: declared.parent?.kind.toUpperCase() ?? "", value: (item: Item) => withMark(item.cluster ?? "", item) }]
      : []),
    { title: "NAME", value: ({ entity }) => entity.metadata.name },
    { title: hasState ? "STATE" : "PHASE", value: renderPhase, paint: paint.phase },
    ...shown.map(([title, show, width]) => ({
      title,
      value: (item: Item) => {
        const text = String(show(item.entity as never) ?? "");
        return title === parentColumn ? withMark(text, item) : text;
      },
      wide: width === "wide",
    })),
    { title: "AGE", value: ({ entity }) => renderAge(entity.metadata.createdAt, nowMs) },
    ...(declared.hasDriftChecks === true ? [{ title: "DRIFT", value: renderDriftState, wide: true }] : []),
    { title: "ENVIRONMENT", value: ({ entity }) => entity.metadata.environment ?? "", wide: true },
    { title: "LABELS", value: ({ entity }) => renderLabels(entity.metadata.labels), wide: true },
    { title: "UID", value: ({ entity }) => entity.metadata.uid, wide: true },
    ...(declared.provisioned
      ? [{ title: "OPERATION", value: ({ entity }: Item) => entity.metadata.operation ?? "", wide: true }]
      : []),
    { title: hasState ? "MESSAGE" : "WAITING FOR", value: ({ entity }) => entity.status?.message ?? "" },
  ];
  const seen = new Set<string>();
  return columns
    .filter((column) => {
      if (seen.has(column.title) || (column.wide === true && !wide) || (["PHASE", "STATE"].includes(column.title) && !hasPhase))
        return false;
      return seen.add(column.title);
    })
    .filter((column) => column.title !== "WAITING FOR" || hasPhase);
}

function withMark(text: string, { simulated = false }: Item): string {
  return simulated ? `${text} (simulated)` : text;
}

/**
 * Renders the phase of an entity, such as `PROVISIONING 40%`, `RUNNING (paused)` or `RUNNING (drifted)`. For operations and tasks, which
 * have no phase, renders the state.
 */
export function renderPhase(item: Item): string {
  const { metadata, status } = item.entity;
  const {
    phase,
    state = "",
    progressPercent = 0,
  } = { ...status } as { phase?: string; state?: string; progressPercent?: number };
  const isEnded = ["FAILED", "CANCELLED", "DONE"].includes(phase ?? state);
  const progress = !isEnded && progressPercent > 0 && progressPercent < 100 ? ` ${progressPercent}%` : "";
  const marks = [...(metadata.paused === true ? ["paused"] : []), ...(driftOf(item).state === "DRIFTED" ? ["drifted"] : [])];
  return `${phase ?? state}${progress}${marks.length === 0 ? "" : ` (${marks.join(", ")})`}`;
}
