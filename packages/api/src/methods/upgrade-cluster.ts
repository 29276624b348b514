import { compareKubernetesVersions, type EntityJson, type Method } from "@cloudwright/contract";
import { findEntity } from "@cloudwright/store";
import type { Answer } from "../calls/answer.ts";
import type { Call } from "../calls/authorise.ts";
import { mergeWith } from "../entities/changes.ts";
import type { ApiDeps } from "../deps.ts";
import { textAt } from "../entities/json-tree.ts";
import { parseEntity } from "../calls/trace-call.ts";
import { updateEntityMethod } from "./update-entity.ts";

/** The input of a cluster upgrade. `version` is the target Kubernetes version. */
export interface UpgradeInput {
  readonly project: string;
  readonly parent: string;
  readonly name: string;
  readonly version: string;
  readonly dryRun: boolean;
  readonly allow: readonly string[];
}

/** Upgrades a cluster by updating its spec. All rules for updates apply. */
export function upgradeCluster(deps: ApiDeps, call: Call, method: Method, input: UpgradeInput): Promise<Answer> {
  const { version, ...rest } = input;
  const sent = { spec: { version } };
  return updateEntityMethod(deps, call, method, {
    ...rest,
    sent,
    change: mergeWith(sent),
    precondition: "",
    allowMissing: false,
    needsWork: async (current) => input.allow.length > 0 && (await hasFailed(deps, current)),
  });
}

/** Returns whether the last upgrade failed. If it did, a request that allows additional risky actions starts it again. */
async function hasFailed({ pool }: Pick<ApiDeps, "pool">, { metadata, spec, status }: EntityJson): Promise<boolean> {
  if (compareKubernetesVersions(textAt(spec, "version"), textAt(status, "version")) === 0) return false;
  const { project = "", operation: ref = "" } = metadata;
  const row = ref === "" ? undefined : await findEntity(pool, { kind: "Operation", project, namingScope: "", ref });
  return row !== undefined && textAt(parseEntity(row.object).status, "state") === "FAILED";
}
