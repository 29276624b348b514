import { Fault } from "@cloudwright/platform";
import { terraformFaults, type Terraform } from "@cloudwright/terraform";
import { deployerFaults } from "../../faults.ts";
import type { Run } from "./run.ts";

const idBytes = 64;
const lengthBytes = 4;

/**
 * Packs a plan into a buffer that any agent can apply. The buffer contains the plan id, the provider lock file and Terraform's packed
 * plan. It can also contain secrets in clear text.
 */
export async function packPlan(terraform: Terraform, planId: string): Promise<Buffer> {
  const lockFile = Buffer.from((await terraform.readLockFile()) ?? "");
  const length = Buffer.alloc(lengthBytes);
  length.writeUInt32BE(lockFile.length);
  return Buffer.concat([Buffer.from(planId, "latin1"), length, lockFile, await terraform.packPlan(planId)]);
}

/**
 * Unpacks a plan into a run's directory. Throws `deployer.plan_gone` if this agent's configuration, state or Terraform binary does not
 * match the plan. In that case, a new plan is needed, because the control plane returns each plan only once.
 */
export async function unpackPlan(run: Run, parcel: Buffer): Promise<{ readonly run: Run; readonly planId: string }> {
  const planId = parcel.toString("latin1", 0, idBytes);
  const lockEnd = idBytes + lengthBytes + (parcel.length < idBytes + lengthBytes ? 0 : parcel.readUInt32BE(idBytes));
  const lockFile = parcel.toString("utf8", idBytes + lengthBytes, lockEnd);
  try {
    // The agent that made the plan may have selected different provider versions.
    const isOther = lockFile !== "" && lockFile !== (await run.terraform.readLockFile());
    const ready = isOther ? await run.useLock(lockFile) : run;
    await ready.terraform.unpackPlan(planId, parcel.subarray(lockEnd));
    return { run: ready, planId };
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== terraformFaults.plan_mismatch.code) throw error;
    throw new Fault(deployerFaults.plan_gone, `${error.message}; a new plan is needed`, { cause: error });
  }
}
