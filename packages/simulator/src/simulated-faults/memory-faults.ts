import { countCall, type CountedFault, type SimulatedFaultControl } from "./simulated-fault.ts";

/** Keeps simulated faults in memory, for providers in the same process. */
export function createMemoryFaults(): SimulatedFaultControl {
  let planned: CountedFault[] = [];
  return {
    async take(call) {
      const counted = countCall(planned, call);
      planned = counted.planned;
      return counted.due;
    },
    async add(...faults) {
      planned = [...planned, ...faults.map((fault) => ({ fault, seen: 0 }))];
    },
    async clear() {
      planned = [];
    },
    list: async () => planned,
  };
}
