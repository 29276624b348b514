/**
 * Applies a user's edits to a list that someone else may have changed since. Adds what the user added, removes what the user removed, and
 * keeps other people's changes.
 */
export function mergeList(opened: readonly string[], edited: readonly string[], latest: readonly string[]): string[] {
  const removed = new Set(opened.filter((item) => !edited.includes(item)));
  const added = edited.filter((item) => !opened.includes(item));
  return [...new Set([...latest.filter((item) => !removed.has(item)), ...added])];
}
