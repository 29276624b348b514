interface Retention {
  readonly mode?: string;
  readonly days?: number;
}

/**
 * Returns why a bucket's object lock cannot change in this way, or undefined if it can. For clouds in which the mode COMPLIANCE locks the
 * bucket's retention policy: a locked policy can only be extended.
 */
export function findUnlocking(before: unknown, after: unknown): string | undefined {
  const { mode = "", days = 0 } = (before ?? {}) as Retention;
  const next = (after ?? {}) as Retention;
  if (mode !== "COMPLIANCE" || (next.mode === mode && (next.days ?? 0) >= days)) return undefined;
  return `must keep the mode COMPLIANCE and at least ${days} days, because a locked retention policy can neither be removed nor shortened`;
}
