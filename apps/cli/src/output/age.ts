const units = [
  ["d", 86_400],
  ["h", 3600],
  ["m", 60],
  ["s", 1],
] as const;

/** Renders an age in the largest unit that yields at least 2, such as `90s`, `5m`, `26h` or `12d`. */
export function renderAge(at: string | undefined, nowMs: number): string {
  if (at === undefined) return "";
  const seconds = Math.max(0, Math.floor((nowMs - Date.parse(at)) / 1000));
  if (Number.isNaN(seconds)) return "";
  const [unit, size] = units.find(([, length]) => seconds >= 2 * length) ?? ["s", 1];
  return `${Math.floor(seconds / size)}${unit}`;
}
