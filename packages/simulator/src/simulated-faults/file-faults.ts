import { readFile } from "node:fs/promises";
import { withFileLock } from "../inventory/file-lock.ts";
import { replaceFile } from "../inventory/replace-file.ts";
import { countCall, matchesCall, type CountedFault, type SimulatedFault, type SimulatedFaultControl } from "./simulated-fault.ts";

/** Keeps simulated faults in a file, for providers that Terraform starts. All processes share the faults and their call counts. */
export function createFileFaults(path: string): SimulatedFaultControl {
  const change = <Result>(
    act: (planned: readonly CountedFault[]) => { planned: readonly CountedFault[]; due: Result },
  ): Promise<Result> =>
    withFileLock(`${path}.lock`, async (stillHeld) => {
      const { planned, due } = act(await load(path));
      await replaceFile(path, JSON.stringify(planned.map(toStored)), stillHeld);
      return due;
    });
  return {
    async take(call) {
      // Reads without the lock first, because usually no fault is planned.
      if (!(await load(path)).some(({ fault }) => matchesCall(fault, call))) return undefined;
      return change((planned) => countCall(planned, call));
    },
    add: (...faults) =>
      change((planned) => ({ planned: [...planned, ...faults.map((fault) => ({ fault, seen: 0 }))], due: undefined })),
    clear: () => change(() => ({ planned: [], due: undefined })),
    list: () => load(path),
  };
}

// The stored key predates the term "simulated fault". It is kept because agents from other releases read the same file.
interface StoredFault {
  readonly mishap: SimulatedFault;
  readonly seen: number;
}

function toStored({ fault, seen }: CountedFault): StoredFault {
  return { mishap: fault, seen };
}

async function load(path: string): Promise<CountedFault[]> {
  try {
    return (JSON.parse(await readFile(path, "utf8")) as StoredFault[]).map(({ mishap, seen }) => ({ fault: mishap, seen }));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
