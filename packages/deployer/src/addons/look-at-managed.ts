import { objectOf, textOf } from "../read-spec.ts";
import type { AddOnStatus, Installation, Site } from "./add-on.ts";
import { awaitReady } from "./await-ready.ts";
import type { WantedAddOn } from "./choose-add-ons.ts";

/** Returns the status of an add-on that the cloud installs with the cluster. */
export async function lookAtManaged(
  site: Site,
  { managed, workload }: Extract<Installation, { by: "cloud" }>,
  { isAsked }: WantedAddOn,
  deadlineMs: number,
): Promise<Pick<AddOnStatus, "phase" | "message" | "version">> {
  const version = textOf(objectOf(site.task.payload.outputs["addon_versions"])[managed]);
  const isThere = (await site.client.find(workload, site.task.signal)) !== undefined;
  if (isThere) return { version, ...(await awaitReady(site, [workload], deadlineMs)) };
  // A simulated cloud reports the add-on as installed but runs no workload for it.
  if (version !== "" && site.account.simulated) return { version, phase: "READY", message: "" };
  const message = version === "" ? `the cluster's configuration does not include ${managed}` : `${managed} is not running`;
  return { version, phase: isAsked ? "FAILED" : "WAITING", message };
}
