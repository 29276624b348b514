import { readFileSync, readlinkSync } from "node:fs";
import { basename } from "node:path";

/**
 * Finds process 1 of an instance among the processes of the instance's control groups. Containers inside the instance also have a process
 * 1, but in a namespace that is one level deeper. Until nspawn's child executes the init program, the instance has no leader.
 */
export function findLeader(pids: readonly number[], procfs = "/proc"): number | undefined {
  const level = readNamespacePids(`${procfs}/self`).length + 1;
  return pids.find((pid) => {
    const numbers = readNamespacePids(`${procfs}/${pid}`);
    if (numbers.length !== level || numbers.at(-1) !== 1) return false;
    // A process that is exiting has no program anymore. If the init program is missing, nspawn's child exits.
    const program = readProgram(`${procfs}/${pid}`);
    return program !== undefined && program !== "systemd-nspawn";
  });
}

/**
 * Returns the process ids of a process in all its namespaces, from the outermost to its own. Returns an empty list if the process has
 * exited.
 */
function readNamespacePids(folder: string): number[] {
  try {
    const status = readFileSync(`${folder}/status`, "utf8");
    if (/^State:\s+[ZX]/m.test(status)) return [];
    const line = status.split("\n").find((each) => each.startsWith("NSpid:")) ?? "";
    return line.split(/\s+/).slice(1).map(Number);
  } catch {
    return [];
  }
}

function readProgram(folder: string): string | undefined {
  try {
    return basename(readlinkSync(`${folder}/exe`));
  } catch {
    return undefined;
  }
}
