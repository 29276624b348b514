const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses a duration such as `90s`, `1h30m` or `30d` into milliseconds. Returns undefined for any other text. */
export function parseDuration(text: string): number | undefined {
  if (!/^(\d{1,9}(ms|s|m|h|d))+$/.test(text)) return undefined;
  return [...text.matchAll(/(\d{1,9})(ms|s|m|h|d)/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * (unitMs[unit as string] as number),
    0,
  );
}
