interface Version {
  readonly numbers: readonly bigint[];
  readonly preRelease: readonly string[];
}

/**
 * Returns -1, 0 or 1 if `left` is lower than, equal to or higher than `right`. `v1.34` means 1.34.0. Build metadata after `+` is ignored.
 */
export function compareSemver(left: string, right: string): -1 | 0 | 1 {
  const [a, b] = [parseVersion(left), parseVersion(right)];
  for (const [index, number] of a.numbers.entries()) {
    const other = b.numbers[index] ?? 0n;
    if (number !== other) return number < other ? -1 : 1;
  }
  return comparePreReleases(a.preRelease, b.preRelease);
}

function parseVersion(text: string): Version {
  const match = /^v?(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?(?:-([0-9A-Za-z.-]{1,100}))?(?:\+[0-9A-Za-z.-]{1,100})?$/.exec(text);
  if (match === null) throw new Error(`"${text.slice(0, 40)}" is not a version such as 1.34.0`);
  const numbers = [match[1], match[2], match[3]].map((digits) => BigInt(digits ?? "0"));
  return { numbers, preRelease: match[4]?.split(".") ?? [] };
}

function comparePreReleases(a: readonly string[], b: readonly string[]): -1 | 0 | 1 {
  if (a.length === 0 || b.length === 0) return a.length === b.length ? 0 : a.length === 0 ? 1 : -1;
  for (const [index, part] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    const order = compareParts(part, other);
    if (order !== 0) return order;
  }
  return a.length < b.length ? -1 : 0;
}

function compareParts(a: string, b: string): -1 | 0 | 1 {
  const [isNumberA, isNumberB] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (isNumberA && isNumberB) return BigInt(a) === BigInt(b) ? 0 : BigInt(a) < BigInt(b) ? -1 : 1;
  if (isNumberA !== isNumberB) return isNumberA ? -1 : 1;
  return a === b ? 0 : a < b ? -1 : 1;
}
