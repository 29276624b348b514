import { readFile } from "node:fs/promises";
import { withFileLock } from "../inventory/file-lock.ts";
import { replaceFile } from "../inventory/replace-file.ts";
import { countCall, isAbout, type CountedMishap, type MishapControl } from "./mishap.ts";

/** Mishaps in a file, for providers that Terraform starts: they are planned by one process, and counted across all the others. */
export function createFileMishaps(path: string): MishapControl {
  const change = <Result>(
    act: (planned: readonly CountedMishap[]) => { planned: readonly CountedMishap[]; due: Result },
  ): Promise<Result> =>
    withFileLock(`${path}.lock`, async (stillHeld) => {
      const { planned, due } = act(await load(path));
      await replaceFile(path, JSON.stringify(planned), stillHeld);
      return due;
    });
  return {
    async take(call) {
      // Without the lock first: nearly always there is nothing that could go wrong.
      if (!(await load(path)).some(({ mishap }) => isAbout(mishap, call))) return undefined;
      return change((planned) => countCall(planned, call));
    },
    add: (...mishaps) =>
      change((planned) => ({ planned: [...planned, ...mishaps.map((mishap) => ({ mishap, seen: 0 }))], due: undefined })),
    clear: () => change(() => ({ planned: [], due: undefined })),
    list: () => load(path),
  };
}

async function load(path: string): Promise<CountedMishap[]> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as CountedMishap[];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
