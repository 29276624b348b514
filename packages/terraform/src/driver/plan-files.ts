import { createUid, Fault } from "@cloudwright/platform";
import { createHash } from "node:crypto";
import { chmodSync, createReadStream, existsSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { terraformFaults } from "../faults.ts";
import { describeCircumstances, requireSameCircumstances } from "./circumstances.ts";
import { packParcel, unpackParcel, type PlanCircumstances } from "./plan-parcel.ts";
import type { Session } from "./session.ts";

/** Returns the path for a new plan that has no ID yet. */
export function newPlanFile(session: Session): string {
  return join(session.ownDirectory, "plans", `${createUid(session.clock.now())}.new`);
}

/** Stores a plan under its ID, the hash of its content. */
export async function keepPlan(session: Session, file: string): Promise<string> {
  chmodSync(file, 0o600);
  const id = await hashFile(file);
  renameSync(file, pathOf(session, id));
  noteCircumstances(session, id, describeCircumstances(session));
  return id;
}

/** Adds a plan that was stored elsewhere. Throws if its content does not match its ID. */
export async function putPlan(session: Session, id: string, bytes: Uint8Array): Promise<void> {
  if (createHash("sha256").update(bytes).digest("hex") !== id) throw changed(id);
  writeFileSync(pathOf(session, id), bytes, { mode: 0o600 });
}

/** Returns the path of a plan. Throws if its content does not match its ID. */
export async function getPlanFile(session: Session, id: string): Promise<string> {
  if (!/^[0-9a-f]{64}$/.test(id) || !existsSync(pathOf(session, id))) {
    throw new Fault(terraformFaults.plan_unknown, `there is no plan ${id} in this working directory`);
  }
  if ((await hashFile(pathOf(session, id))) !== id) throw changed(id);
  return pathOf(session, id);
}

/** Packs a plan for storage. The result contains secrets in plain text. */
export async function packPlan(session: Session, id: string): Promise<Uint8Array> {
  const file = await getPlanFile(session, id);
  const { size } = statSync(file);
  if (size > session.longestPlanBytes) {
    throw new Fault(
      terraformFaults.plan_too_large,
      `the plan ${id} has ${size} bytes; at most ${session.longestPlanBytes} are allowed`,
    );
  }
  if (!existsSync(notePathOf(session, id)))
    throw new Fault(terraformFaults.plan_unknown, `the plan ${id} was not created in this working directory`);
  return packParcel(JSON.parse(readFileSync(notePathOf(session, id), "utf8")) as PlanCircumstances, readFileSync(file));
}

/** Unpacks a plan. Throws if it does not match its ID or this working directory. */
export async function unpackPlan(session: Session, id: string, parcel: Uint8Array): Promise<void> {
  const { circumstances, plan } = await unpackParcel(parcel, session.longestPlanBytes);
  requireSameCircumstances(circumstances, describeCircumstances(session));
  await putPlan(session, id, plan);
  noteCircumstances(session, id, circumstances);
}

/** Deletes a plan, if it exists. */
export async function deletePlan(session: Session, id: string): Promise<void> {
  await rm(pathOf(session, id), { force: true });
  await rm(notePathOf(session, id), { force: true });
}

function noteCircumstances(session: Session, id: string, circumstances: PlanCircumstances): void {
  writeFileSync(notePathOf(session, id), JSON.stringify(circumstances), { mode: 0o600 });
}

function notePathOf(session: Session, id: string): string {
  return join(session.ownDirectory, "plans", `${id}.json`);
}

function pathOf(session: Session, id: string): string {
  return join(session.ownDirectory, "plans", `${id}.tfplan`);
}

function changed(id: string): Fault {
  return new Fault(terraformFaults.plan_changed, `the plan ${id} differs from the one that was created`);
}

async function hashFile(file: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}
