import { createUid, Fault } from "@cloudwright/platform";
import { createHash } from "node:crypto";
import { chmodSync, createReadStream, existsSync, renameSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { terraformFaults } from "../faults.ts";
import type { Session } from "./session.ts";

/** Where a plan is written to before it has an id. */
export function newPlanFile(session: Session): string {
  return join(session.ownDirectory, "plans", `${createUid(session.clock.now())}.new`);
}

/** Gives a plan its id, the hash of its bytes, and keeps it under that. */
export async function keepPlan(session: Session, file: string): Promise<string> {
  chmodSync(file, 0o600);
  const id = await hashFile(file);
  renameSync(file, pathOf(session, id));
  return id;
}

/** Takes a plan that was stored elsewhere; its bytes must be those of its id. */
export async function putPlan(session: Session, id: string, bytes: Uint8Array): Promise<void> {
  if (createHash("sha256").update(bytes).digest("hex") !== id) throw changed(id);
  writeFileSync(pathOf(session, id), bytes, { mode: 0o600 });
}

/** The file of a plan, checked to be the one of that id. */
export async function getPlanFile(session: Session, id: string): Promise<string> {
  if (!/^[0-9a-f]{64}$/.test(id) || !existsSync(pathOf(session, id))) {
    throw new Fault(terraformFaults.plan_unknown, `there is no plan ${id} in this working directory`);
  }
  if ((await hashFile(pathOf(session, id))) !== id) throw changed(id);
  return pathOf(session, id);
}

/** Removes a plan, if it is there. */
export function deletePlan(session: Session, id: string): Promise<void> {
  return rm(pathOf(session, id), { force: true });
}

function pathOf(session: Session, id: string): string {
  return join(session.ownDirectory, "plans", `${id}.tfplan`);
}

function changed(id: string): Fault {
  return new Fault(terraformFaults.plan_changed, `the plan ${id} is not the one that was made`);
}

async function hashFile(file: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}
