/** Renders an SQL expression that converts a timestamp to milliseconds since the epoch. */
export function epochMs(column: string): string {
  return `(extract(epoch from ${column}) * 1000)::float8`;
}
