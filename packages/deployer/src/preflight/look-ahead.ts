import { cloudsFaults } from "@cloudwright/clouds";
import { findCloud, type CloudFacts } from "@cloudwright/contract/clouds";
import { Fault } from "@cloudwright/platform";
import type { OpenView } from "../cloud.ts";
import { findDeployerCloud } from "../clouds.ts";
import { describeRun } from "../credentials.ts";
import { deployerFaults } from "../faults.ts";
import type { DeployedAccount, DeployerTask } from "../task.ts";
import { askAbout, findChecks, type Finding } from "./question.ts";

/**
 * Returns all problems that would prevent an entity from being built. Credentials are verified first, because nothing can be read without
 * them. If no preflight checks exist for the cloud, the result is a warning, because an empty list would look like success.
 */
export async function findObstacles(
  { openView }: { readonly openView?: OpenView },
  task: DeployerTask,
  service: string,
  account: DeployedAccount,
): Promise<readonly Finding[]> {
  const run = describeRun(task);
  const cloud = findCloud(account.cloud);
  if (openView === undefined || cloud === undefined) return [];
  const own = findDeployerCloud(account.cloud);
  const checks = own === undefined ? undefined : findChecks(own.checks, service);
  if (checks === undefined) return [describeMissing(service, cloud)];
  if (run.region === "" && cloud.regions.default !== "") return [];
  const opened = await openView(account, () => task.openState(), run);
  if (opened === undefined) return [describeMissing(service, cloud)];
  try {
    task.progress(10, "checking the account");
    await opened.view.getIdentity();
    const question = askAbout(task, { cloud, view: opened.view, region: run.region });
    const findings = (await Promise.all(checks.map((check) => check(question).catch(toFinding)))).flat();
    // Several checks may report the same missing permission.
    return [...new Map(findings.map((finding) => [describeFinding(finding), finding])).values()];
  } finally {
    opened.close();
  }
}

/**
 * Runs the preflight checks and returns their warnings. Throws `deployer.preflight_failed` with all problems if there are any. With `isApart`,
 * problems of node pools are only warnings, because each of these pools reports its own error and the others are built.
 */
export async function lookAhead(
  deps: { readonly openView?: OpenView },
  task: DeployerTask,
  service: string,
  account: DeployedAccount,
  { isApart = false }: { readonly isApart?: boolean } = {},
): Promise<readonly Finding[]> {
  const found = await findObstacles(deps, task, service, account);
  const findings = isApart ? found.map(tolerate) : found;
  for (const finding of findings) task.log(describeFinding(finding));
  const obstacles = findings.filter(({ severity }) => severity !== "should");
  if (obstacles.length === 0) return findings;
  const { kind, name } = task.payload.entity;
  const count = obstacles.length === 1 ? "one problem prevents" : `${obstacles.length} problems prevent`;
  const message = `${count} ${kind} "${name}" from being built: ${obstacles.map(describeFinding).join("; ")}`;
  throw new Fault(deployerFaults.preflight_failed, message, { fields: obstacles });
}

function tolerate(finding: Finding): Finding {
  return finding.field.startsWith("nodePools.") ? { ...finding, severity: "should" } : finding;
}

function describeFinding({ field, message, help }: Finding): string {
  return `${field}: ${message}${help === undefined ? "" : `. ${help}`}`;
}

function describeMissing(service: string, cloud: CloudFacts): Finding {
  return {
    severity: "should",
    field: "account",
    message: `preflight checks of the ${service} service are not implemented for ${cloud.title} yet`,
    help: "Missing permissions, exhausted quotas and name conflicts will be found only during the build.",
    code: cloudsFaults.not_implemented.code,
  };
}

/** Reports a missing read permission as a finding. Any other error aborts the preflight. */
function toFinding(error: unknown): Finding[] {
  if (!(error instanceof Fault) || error.code !== cloudsFaults.not_allowed.code) throw error;
  return [{ field: "account", message: error.message }];
}
