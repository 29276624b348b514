import { countCall, type CountedMishap, type MishapControl } from "./mishap.ts";

/** Mishaps for providers of this process. */
export function createMemoryMishaps(): MishapControl {
  let planned: CountedMishap[] = [];
  return {
    async take(call) {
      const counted = countCall(planned, call);
      planned = counted.planned;
      return counted.due;
    },
    async add(...mishaps) {
      planned = [...planned, ...mishaps.map((mishap) => ({ mishap, seen: 0 }))];
    },
    async clear() {
      planned = [];
    },
    list: async () => planned,
  };
}
