import { compareKubernetesVersions, isMinorUpgrade, type EntityJson, type Method } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import { findEntity } from "@cloudwright/store";
import type { Answer } from "../calls/answer.ts";
import type { Call } from "../calls/authorise.ts";
import { mergeWith } from "../entities/changes.ts";
import type { ApiDeps } from "../deps.ts";
import { textAt } from "../entities/json-tree.ts";
import { requireEntity, resolveTarget } from "../entities/target.ts";
import { apiFaults } from "../faults.ts";
import { parseEntity } from "../calls/trace-call.ts";
import { resumeUpgrade, type ResumeInput } from "./resume-upgrade.ts";
import { updateEntityMethod } from "./update-entity.ts";

/** The input of a cluster upgrade. `version` is the target Kubernetes version. It is empty if the request resumes or aborts an upgrade. */
export interface UpgradeInput extends ResumeInput {
  readonly version: string;
  readonly allow: readonly string[];
  readonly resume: boolean;
  readonly abort: boolean;
}

/**
 * Upgrades a cluster by updating its spec, or resumes a paused upgrade. To abort an upgrade, the version is set back to the running one. All
 * rules for updates apply.
 */
export async function upgradeCluster(deps: ApiDeps, call: Call, method: Method, input: UpgradeInput): Promise<Answer> {
  if (input.resume) return resumeUpgrade(deps, call, method, input);
  const { project, parent, name, dryRun, allow } = input;
  const { version, precondition } = input.abort
    ? await findRunning(deps, call, method, input)
    : { version: input.version, precondition: "" };
  const sent = { spec: { version } };
  return updateEntityMethod(deps, call, method, {
    project,
    parent,
    name,
    dryRun,
    allow,
    sent,
    change: mergeWith(sent),
    precondition,
    allowMissing: false,
    needsWork: async (current) => allow.length > 0 && (await hasFailed(deps, current)),
  });
}

/** Returns the minor version that the cluster runs. Throws unless an upgrade is pending and has not changed the cluster yet. */
async function findRunning(
  deps: ApiDeps,
  call: Call,
  method: Method,
  input: UpgradeInput,
): Promise<{ readonly version: string; readonly precondition: string }> {
  const target = await resolveTarget(deps, call, method, input);
  const row = await requireEntity(deps, call, target, input.name);
  const { spec, status } = parseEntity(row.object);
  const running = textAt(status, "version");
  const version = /^v?(?<minor>\d+\.\d+)/.exec(running)?.groups?.["minor"] ?? "";
  const what = `${row.kind} "${row.name}"`;
  if (version === "" || !isMinorUpgrade(running, textAt(spec, "version")))
    throw new Fault(apiFaults.upgrade_not_paused, `${what} has no upgrade to abort`);
  if (textAt(status, "phase") === "UPGRADING") {
    const advice = `to stop at the version reached, upgrade to ${version}`;
    throw new Fault(apiFaults.upgrade_not_paused, `the upgrade of ${what} has already changed the cluster; ${advice}`);
  }
  // If the upgrade starts in the meantime, the cluster's resourceVersion changes and the update is rejected.
  return { version, precondition: row.resource_version };
}

/** Returns whether the last upgrade failed. If so, a request that allows additional risky actions starts the upgrade again. */
async function hasFailed({ pool }: Pick<ApiDeps, "pool">, { metadata, spec, status }: EntityJson): Promise<boolean> {
  if (compareKubernetesVersions(textAt(spec, "version"), textAt(status, "version")) === 0) return false;
  const { project = "", operation: ref = "" } = metadata;
  const row = ref === "" ? undefined : await findEntity(pool, { kind: "Operation", project, namingScope: "", ref });
  return row !== undefined && textAt(parseEntity(row.object).status, "state") === "FAILED";
}
