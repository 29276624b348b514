const bitsPerWord = 32;

/** Creates an empty set of the numbers from 0 to `size - 1`. */
export function createBits(size: number): Uint32Array {
  return new Uint32Array(Math.ceil(size / bitsPerWord));
}

export function hasBit(bits: Uint32Array, position: number): boolean {
  return ((bits[Math.floor(position / bitsPerWord)] ?? 0) & (1 << (position % bitsPerWord))) !== 0;
}

export function setBit(bits: Uint32Array, position: number): void {
  const word = Math.floor(position / bitsPerWord);
  bits[word] = (bits[word] ?? 0) | (1 << (position % bitsPerWord));
}

export function clearBit(bits: Uint32Array, position: number): void {
  const word = Math.floor(position / bitsPerWord);
  bits[word] = (bits[word] ?? 0) & ~(1 << (position % bitsPerWord));
}

/** Adds the members of another set of the same size. */
export function addBits(bits: Uint32Array, others: Uint32Array): void {
  for (let word = 0; word < bits.length; word += 1) bits[word] = (bits[word] ?? 0) | (others[word] ?? 0);
}

/** Returns the numbers that are in both sets. */
export function listBits(bits: Uint32Array, mask: Uint32Array): number[] {
  const found: number[] = [];
  for (const [word, value] of bits.entries()) {
    let left = (value & (mask[word] ?? 0)) >>> 0;
    while (left !== 0) {
      const offset = Math.clz32(left & -left) ^ (bitsPerWord - 1);
      found.push(word * bitsPerWord + offset);
      left = (left & (left - 1)) >>> 0;
    }
  }
  return found;
}
