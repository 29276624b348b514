import { cloudsFaults } from "@cloudwright/clouds";
import { findParent } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import type { OpenCloud, OpenView } from "../cloud.ts";
import { deployerFaults } from "../faults.ts";
import { findUpgradeObstacles } from "../kubernetes/check-upgrade.ts";
import type { DeployedAccount, DeployerTask } from "../task.ts";
import { findObstacles } from "./look-ahead.ts";
import type { Finding } from "./question.ts";

export interface LookSubject {
  readonly service: string;
  readonly account: DeployedAccount;
  /** Throws if the entity's spec is invalid. */
  readonly checkWords?: () => unknown;
}

/**
 * Returns all problems that would prevent an entity from being built or changed. Checks the spec, the account and, for an upgrade, the
 * objects in the cluster.
 */
export async function look(
  deps: { readonly openView?: OpenView; readonly openCloud: OpenCloud },
  task: DeployerTask,
  { service, account, checkWords }: LookSubject,
): Promise<readonly Finding[]> {
  const { newPool } = task.payload;
  // The spec of a cluster, an instance or a security group can be checked only after its network is built, because it needs the network's outputs.
  const needsNetwork = ["cluster", "instance", "securitygroup"].includes(service);
  const own = checkWords === undefined || (needsNetwork && !hasBuiltNetwork(task)) ? [] : readWords(checkWords);
  const obstacles = await findObstacles(deps, task, service, account).catch(readRefusal);
  if (newPool !== undefined) return [...own, ...pickPool(obstacles, newPool)];
  return [...own, ...obstacles, ...(service === "cluster" ? await findUpgradeObstacles(deps, task, account) : [])];
}

function hasBuiltNetwork({ payload }: DeployerTask): boolean {
  return Object.keys(findParent(payload, "Network")?.outputs ?? {}).length > 0;
}

const infraCodes: readonly string[] = [deployerFaults.no_stack.code, deployerFaults.no_upgrade.code];

function readWords(checkWords: () => unknown): readonly Finding[] {
  try {
    checkWords();
    return [];
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { fields, message, help, code } = error;
    if (infraCodes.includes(code)) return [{ field: "spec.infra.version", message, help }];
    if (error.kind !== "invalid") throw error;
    if (fields.length > 0) return fields.map((each) => ({ help, ...each }));
    return [{ field: /^spec\.[\w.]+/.exec(message)?.[0] ?? "spec", message, help }];
  }
}

/** Reports rejected credentials as a finding. Any other error aborts the preflight. */
function readRefusal(error: unknown): readonly Finding[] {
  if (!(error instanceof Fault) || error.code !== cloudsFaults.credentials_refused.code) throw error;
  return [{ field: "account", message: error.message, help: error.help }];
}

/** Returns the findings about a new node pool, with field paths relative to the pool. Findings about the existing cluster are left out. */
function pickPool(findings: readonly Finding[], pool: string): readonly Finding[] {
  const prefix = `nodePools.${pool}.`;
  return findings.flatMap((finding): Finding[] => {
    if (finding.field.startsWith(prefix)) return [{ ...finding, field: `spec.${finding.field.slice(prefix.length)}` }];
    if (finding.field === "spec.workers") return [{ ...finding, field: "spec.desired" }];
    return finding.field === "account" ? [finding] : [];
  });
}
