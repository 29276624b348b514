import { Fault } from "@cloudwright/platform";
import { terraformFaults } from "../../faults.ts";
import type { Session } from "../session.ts";

/** Returns the arguments that limit how long Terraform waits for the state lock. */
export function listLockArguments(session: Session): string[] {
  return [`-lock-timeout=${session.lockTimeoutSeconds}s`];
}

/** Returns the argument that limits concurrent resource operations, if configured. */
export function listParallelism(session: Session): string[] {
  return session.parallelism === undefined ? [] : [`-parallelism=${session.parallelism}`];
}

/** Returns a resource address for use as an argument. Rejects anything that could be parsed as an option. */
export function requireAddress(address: string): string {
  if (!/^[\p{ID_Start}_]/u.test(address) || /[\0\n]/.test(address)) {
    throw new Fault(terraformFaults.bad_option, `${JSON.stringify(address)} is not a resource address`);
  }
  return address;
}
