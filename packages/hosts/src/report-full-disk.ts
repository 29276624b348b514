import { Fault } from "@cloudwright/platform";
import { hostsFaults } from "./faults.ts";

/** Turns the errors of programs and of Node.js about a full file system into one fault. Returns all other errors unchanged. */
export function reportFullDisk(error: unknown, folder: string): unknown {
  const isFull =
    error instanceof Fault
      ? error.code === hostsFaults.tool_failed.code && error.message.includes("No space left on device")
      : (error as NodeJS.ErrnoException).code === "ENOSPC";
  return isFull ? new Fault(hostsFaults.no_disk_space, `the file system of ${folder} is full`, { cause: error }) : error;
}
