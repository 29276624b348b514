import type { KubeObject } from "../cluster/kube-object.ts";
import { findField } from "../cluster/own-fields.ts";
import type { CustomColumn, CustomKind } from "../kinds/custom-kinds.ts";
import { ago, type Column } from "./column.ts";
import { columnsOf } from "./columns.ts";

export interface TableRequest {
  readonly resource: string;
  readonly custom: CustomKind | undefined;
  /** How much of each object a row includes: `Object`, `Metadata` or `None`. */
  readonly includeObject: string;
  readonly nowMs: number;
}

/** A table as JSON. */
export interface RenderedTable {
  readonly metadata: object;
  readonly columnDefinitions: readonly object[];
  readonly rows: readonly object[];
}

/** Renders objects as a table. kubectl requests this form for display. */
export function renderTable(
  request: TableRequest,
  objects: readonly KubeObject[],
  metadata: object,
  withHead = true,
): RenderedTable & { readonly kind: string; readonly apiVersion: string } {
  const columns = request.custom === undefined ? columnsOf(request.resource) : customColumns(request.custom);
  return {
    kind: "Table",
    apiVersion: "meta.k8s.io/v1",
    metadata,
    columnDefinitions: withHead ? columns.map(definition) : [],
    rows: objects.map((object) => ({
      cells: columns.map((column) => column.cell(object, request.nowMs)),
      ...(request.includeObject !== "None" && { object: request.includeObject === "Object" ? object : partial(object) }),
    })),
  };
}

function definition({ name, type, format = "", description = name, priority = 0 }: Column): object {
  return { name, type, format, description, priority };
}

/** Reduces an object to its metadata. */
export function partial({ metadata }: KubeObject): object {
  return { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata };
}

function customColumns(custom: CustomKind): Column[] {
  const own = custom.columns.map(customColumn);
  return [{ name: "Name", type: "string", format: "name", cell: ({ metadata }) => metadata.name }, ...own];
}

function customColumn({ name, type, format = "", description = name, jsonPath, priority = 0 }: CustomColumn): Column {
  return {
    name,
    type,
    format,
    description,
    priority,
    cell: (object, nowMs) => {
      const value = valueAt(object, jsonPath);
      if (type === "date") return ago(value as string | undefined, nowMs);
      return typeof value === "object" && value !== null ? JSON.stringify(value) : (value ?? null);
    },
  };
}

const longestPath = 1000;

/** Evaluates a simple JSON path such as `.spec.x`, `.status.conditions[?(@.type=="Ready")].status` or `.metadata.annotations.a\.b`. */
export function valueAt(object: unknown, path: string): unknown {
  // Ignores long paths, because the time to split a path grows with the square of its length.
  if (path.length > longestPath) return undefined;
  const steps = path.match(/(\\.|[^.[\\])+|\[[^\]]*\]/g) ?? [];
  let at: unknown = object;
  for (const step of steps) {
    if (at === undefined || at === null) return undefined;
    const filter = /^\[\?\(@\.([^=]+)==\s*["']([^"']*)["']\)\]$/.exec(step);
    const key = step.startsWith("[") ? step.slice(1, -1).replace(/^["']|["']$/g, "") : step.replaceAll("\\", "");
    if (filter === null) at = findField(at as Record<string, unknown>, key);
    else
      at = Array.isArray(at) ? at.find((one: any) => String(findField(one, (filter[1] ?? "").trim())) === filter[2]) : undefined;
  }
  return at;
}
