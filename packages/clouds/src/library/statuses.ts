/**
 * Looks up the library's name for a native status. Returns `unknown` for a status that is not in the table, including names such as
 * `constructor`.
 */
export function toStatus<Status extends string>(
  table: Readonly<Record<string, Status>>,
  native: string | undefined,
): Status | "unknown" {
  return native !== undefined && Object.hasOwn(table, native) ? (table[native] as Status) : "unknown";
}
