/** One column: its title and what it shows of a row. */
export interface Column<Row> {
  readonly title: string;
  readonly value: (row: Row) => string;
  /** Shown with `-o wide` only. */
  readonly wide?: boolean;
  /** Colours a cell that has been laid out already. */
  readonly paint?: ((cell: string) => string) | undefined;
}

interface Layout {
  readonly heading?: boolean;
  /** Least widths; raised to those of the rows. */
  readonly widths?: number[];
}

/** The lines of a table: as wide as its content, two spaces between columns, nothing behind the last one. */
export function renderTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[], layout: Layout = {}): string[] {
  const { heading = true, widths = columns.map(({ title }) => title.length) } = layout;
  const cells = rows.map((row) => columns.map((column) => flatten(column.value(row))));
  for (const line of cells) for (const [index, cell] of line.entries()) widths[index] = Math.max(widths[index] ?? 0, cell.length);
  const pad = (cell: string, index: number): string => (index === columns.length - 1 ? cell : cell.padEnd(widths[index] ?? 0));
  const titles = columns.map(({ title }, index) => pad(title, index));
  const lines = cells.map((line) => line.map((cell, index) => columns[index]?.paint?.(pad(cell, index)) ?? pad(cell, index)));
  return [...(heading ? [titles] : []), ...lines].map((line) => line.join("  ").trimEnd());
}

/** Control characters in names and messages of others must not reach the terminal. */
export function flatten(text: string): string {
  // oxlint-disable-next-line no-control-regex -- they are what is being removed
  return text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ");
}

/** A table that grows: its heading comes with the first rows, and later rows keep the widths as far as they fit. */
export function createLiveTable<Row>(columns: readonly Column<Row>[]): (rows: readonly Row[]) => string[] {
  const widths = columns.map(({ title }) => title.length);
  let isFirst = true;
  return (rows) => {
    const lines = renderTable(columns, rows, { heading: isFirst, widths });
    isFirst = false;
    return lines;
  };
}
