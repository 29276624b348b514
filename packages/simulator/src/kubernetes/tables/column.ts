import type { KubeObject } from "../cluster/kube-object.ts";
import { humanDuration } from "./duration.ts";

/** A column of a table: its head, and what it shows of an object. */
export interface Column {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  /** Above zero: shown only when all is asked for. */
  readonly priority?: number;
  readonly cell: (object: KubeObject, nowMs: number) => unknown;
}

/** Shorthand for a column of text. */
export function text(name: string, cell: (object: any) => unknown, priority = 0): Column {
  return { name, type: "string", priority, cell: (object) => cell(object) ?? "<none>" };
}

/** Shorthand for a column of numbers. */
export function count(name: string, cell: (object: any) => unknown, priority = 0): Column {
  return { name, type: "integer", priority, cell: (object) => cell(object) ?? 0 };
}

/** How long ago something was. */
export function since(name: string, when: (object: any) => string | undefined, priority = 0): Column {
  return { name, type: "string", priority, cell: (object, nowMs) => ago(when(object), nowMs) };
}

/** The time since a moment, as kubectl writes it. */
export function ago(time: string | undefined | null, nowMs: number): string {
  return time === undefined || time === null ? "<unknown>" : humanDuration(nowMs - Date.parse(time));
}
