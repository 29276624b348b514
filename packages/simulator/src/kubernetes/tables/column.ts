import type { KubeObject } from "../cluster/kube-object.ts";
import { humanDuration } from "./duration.ts";

/** A table column: its header, and a function that renders a cell. */
export interface Column {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  /** Columns with a priority above zero are shown only in wide output. */
  readonly priority?: number;
  readonly cell: (object: KubeObject, nowMs: number) => unknown;
}

/** Creates a text column. */
export function text(name: string, cell: (object: any) => unknown, priority = 0): Column {
  return { name, type: "string", priority, cell: (object) => cell(object) ?? "<none>" };
}

/** Creates a number column. */
export function count(name: string, cell: (object: any) => unknown, priority = 0): Column {
  return { name, type: "integer", priority, cell: (object) => cell(object) ?? 0 };
}

/** Creates a column that shows how long ago something happened. */
export function since(name: string, when: (object: any) => string | undefined, priority = 0): Column {
  return { name, type: "string", priority, cell: (object, nowMs) => ago(when(object), nowMs) };
}

/** Renders the time elapsed since a timestamp, in kubectl's format. */
export function ago(time: string | undefined | null, nowMs: number): string {
  return time === undefined || time === null ? "<unknown>" : humanDuration(nowMs - Date.parse(time));
}
