import { Fault } from "@cloudwright/platform";
import { terraformFaults } from "../../faults.ts";
import type { Session } from "../session.ts";

/** How long a command waits for the state's lock. */
export function listLockArguments(session: Session): string[] {
  return [`-lock-timeout=${session.lockTimeoutSeconds}s`];
}

/** How many resources are worked on at a time, where it is said. */
export function listParallelism(session: Session): string[] {
  return session.parallelism === undefined ? [] : [`-parallelism=${session.parallelism}`];
}

/** A resource's address as an argument; what could be read as an option is refused. */
export function requireAddress(address: string): string {
  if (!/^[\p{ID_Start}_]/u.test(address) || /[\0\n]/.test(address)) {
    throw new Fault(terraformFaults.bad_option, `${JSON.stringify(address)} is not the address of a resource`);
  }
  return address;
}
