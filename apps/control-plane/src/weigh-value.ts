/** Characters of text that weigh as much as one value. */
const charactersPerValue = 64;

/** Returns the number of values in a JSON value. Long strings count as several values. */
export function weigh(value: unknown): number {
  let weight = 0;
  for (const part of weighParts(value)) weight += part;
  return weight;
}

/** Returns whether a JSON value weighs more than `most`. Stops as soon as that is known. */
export function isHeavier(value: unknown, most: number): boolean {
  let weight = 0;
  for (const part of weighParts(value)) {
    weight += part;
    if (weight > most) return true;
  }
  return false;
}

function* weighParts(value: unknown): Generator<number> {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    yield 1 + (typeof next === "string" ? Math.floor(next.length / charactersPerValue) : 0);
    if (typeof next === "object" && next !== null) for (const inner of Object.values(next)) open.push(inner);
  }
}
