import type { ReactNode } from "react";

/** One table column. `text` is used for filtering and sorting, and is displayed unless `render` is given. */
export interface Column<Row> {
  readonly id: string;
  readonly title: string;
  text(row: Row): string;
  render?(row: Row): ReactNode;
  /** Returns the value to sort by. Default: the text. */
  order?(row: Row): number | string;
  /** The CSS width of the grid column. Default: `minmax(0, 1fr)`. */
  readonly width?: string;
  /** Right-aligns the column, so that digits line up. */
  readonly isNumber?: boolean;
  /** Shown only on wide screens. */
  readonly wide?: boolean;
  /** Hidden until the user enables the column. */
  readonly optional?: boolean;
}

/** The column to sort by, and the direction. */
export interface Sorting {
  readonly id: string;
  readonly down: boolean;
}

/** Returns the rows that contain every word of the filter, in sort order. */
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
