import type { ReactNode } from "react";

/** One column: its text is what is filtered, sorted and, unless it is rendered otherwise, shown. */
export interface Column<Row> {
  readonly id: string;
  readonly title: string;
  text(row: Row): string;
  render?(row: Row): ReactNode;
  /** What to sort by when it is not the text. */
  order?(row: Row): number | string;
  /** A width of the grid, `minmax(0, 1fr)` unless said. */
  readonly width?: string;
  /** A number: it stands at the right, so that digits of the same worth are below each other. */
  readonly isNumber?: boolean;
  /** Only on wide screens. */
  readonly wide?: boolean;
  /** Hidden until somebody asks for it. */
  readonly optional?: boolean;
}

/** By which column, and which way. */
export interface Sorting {
  readonly id: string;
  readonly down: boolean;
}

/** The rows whose text has every word of the filter, in the order asked for. */
export function arrangeRows<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  filter: string,
  sorting: Sorting | undefined,
): readonly Row[] {
  const words = filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const found =
    words.length === 0
      ? rows
      : rows.filter((row) => {
          const text = columns
            .map((column) => column.text(row))
            .join(" ")
            .toLowerCase();
          return words.every((word) => text.includes(word));
        });
  const column = columns.find(({ id }) => id === sorting?.id);
  if (column === undefined) return found;
  const sign = sorting?.down === true ? -1 : 1;
  const keyed = found.map((row) => ({ row, key: column.order?.(row) ?? column.text(row) }));
  return keyed.toSorted((a, b) => sign * compare(a.key, b.key)).map(({ row }) => row);
}

function compare(a: number | string, b: number | string): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), "en", { numeric: true });
}
