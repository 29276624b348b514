import { withLeft, type Fault } from "@cloudwright/platform/fault";
import { isCloudFault, type CloudFault } from "./errors.ts";

/** A resource that a call created and that stays if the call fails later. */
export interface Leftover {
  /** The resource in words, such as `the EKS cluster main in us-east-1`. */
  readonly what: string;
  /** The library's call that deletes the resource, such as `clusters.delete("main")`. */
  readonly call: string;
}

/** Runs the rest of a call that has created a resource. If it fails, the fault's message says what stays and how to delete it. */
export async function tellLeft<Value>(leftover: Leftover, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    // A resource that is not found does not stay.
    if (!isCloudFault(error) || isCloudFault(error, "not_found")) throw error;
    throw addLeft(error, leftover);
  }
}

/** Returns a copy of the fault whose message says what stays and how to delete it. */
export function addLeft(fault: CloudFault, { what, call }: Leftover): Fault {
  return withLeft(fault, [what.replace(/^the /, "")], `${fault.message}; ${what} stays; delete it with ${call}`);
}
