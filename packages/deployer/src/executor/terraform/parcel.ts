import { Fault } from "@cloudwright/platform";
import { terraformFaults, type Terraform } from "@cloudwright/terraform";
import { deployerFaults } from "../../faults.ts";
import type { Run } from "./open-run.ts";

const idBytes = 64;
const lengthBytes = 4;

/** A plan in one piece, to be applied by any agent: its id, the lock of its providers, and what the driver packs. It holds secrets in clear. */
export async function packPlan(terraform: Terraform, planId: string): Promise<Buffer> {
  const lockFile = Buffer.from((await terraform.readLockFile()) ?? "");
  const length = Buffer.alloc(lengthBytes);
  length.writeUInt32BE(lockFile.length);
  return Buffer.concat([Buffer.from(planId, "latin1"), length, lockFile, await terraform.packPlan(planId)]);
}

/** Puts such a plan into a run's directory. What was made under other circumstances than this agent's is gone: it has been handed out, and must be made anew. */
export async function unpackPlan(run: Run, parcel: Buffer): Promise<{ readonly run: Run; readonly planId: string }> {
  const planId = parcel.toString("latin1", 0, idBytes);
  const lockEnd = idBytes + lengthBytes + (parcel.length < idBytes + lengthBytes ? 0 : parcel.readUInt32BE(idBytes));
  const lockFile = parcel.toString("utf8", idBytes + lengthBytes, lockEnd);
  try {
    // Another agent's init, on another day, may have chosen other providers.
    const isOther = lockFile !== "" && lockFile !== (await run.terraform.readLockFile());
    const ready = isOther ? await run.useLock(lockFile) : run;
    await ready.terraform.unpackPlan(planId, parcel.subarray(lockEnd));
    return { run: ready, planId };
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== terraformFaults.plan_mismatch.code) throw error;
    throw new Fault(deployerFaults.plan_gone, `${error.message}, and is made anew`, { cause: error });
  }
}
