import { cloudsFaults } from "@cloudwright/clouds";
import { Fault } from "@cloudwright/platform";
import type { OpenView } from "../cloud.ts";
import { describeRun } from "../credentials.ts";
import { deployerFaults } from "../faults.ts";
import type { DeployedAccount, DeployerTask } from "../task.ts";
import { createPermissionCheck, regionIsOpen } from "./account-checks.ts";
import {
  bucketNameIsFree,
  clusterNameIsFree,
  machinesAreOffered,
  servicesAreApart,
  vcpuQuota,
  versionIsOffered,
} from "./cluster-checks.ts";
import { existingIsThere } from "./existing-checks.ts";
import { elasticIpQuota, natQuota, rangeIsFree, vpcQuota, zonesExist } from "./network-checks.ts";
import { askAbout, type Check, type Finding } from "./question.ts";

const checks: Readonly<Record<string, readonly Check[]>> = {
  network: [
    createPermissionCheck("network"),
    regionIsOpen,
    zonesExist,
    vpcQuota,
    elasticIpQuota,
    natQuota,
    rangeIsFree,
    existingIsThere,
  ],
  cluster: [
    createPermissionCheck("cluster"),
    regionIsOpen,
    versionIsOffered,
    machinesAreOffered,
    vcpuQuota,
    servicesAreApart,
    clusterNameIsFree,
  ],
  storage: [createPermissionCheck("storage"), regionIsOpen, bucketNameIsFree],
};

/**
 * Looks for everything that would keep an entity from being built, before anything is made, and says all of it at once. That the credentials are good is
 * asked first: without them nothing else can be looked at.
 */
export async function findObstacles(
  { openView }: { readonly openView?: OpenView },
  task: DeployerTask,
  service: string,
  account: DeployedAccount,
): Promise<readonly Finding[]> {
  const run = describeRun(task);
  const known = checks[service];
  if (openView === undefined || known === undefined || account.cloud !== "aws" || run.region === "") return [];
  const opened = await openView(account, () => task.openState(), run);
  if (opened === undefined) return [];
  try {
    task.progress(10, "the account is looked at");
    await opened.view.getIdentity();
    const question = askAbout(task, opened.view, run.region);
    return (await Promise.all(known.map((check) => check(question).catch(toFinding)))).flat();
  } finally {
    opened.close();
  }
}

/** The same for an entity that is about to be built: what is found is the fault that it ends with. */
export async function lookAhead(
  deps: { readonly openView?: OpenView },
  task: DeployerTask,
  service: string,
  account: DeployedAccount,
): Promise<void> {
  const findings = await findObstacles(deps, task, service, account);
  if (findings.length === 0) return;
  const said = findings.map(({ field, message, help }) => `${field}: ${message}${help === undefined ? "" : `. ${help}`}`);
  for (const line of said) task.log(line);
  const { kind, name } = task.payload.entity;
  const count = findings.length === 1 ? "one thing" : `${findings.length} things`;
  const message = `${count} would keep ${kind} "${name}" from being built: ${said.join("; ")}`;
  throw new Fault(deployerFaults.preflight_failed, message, { fields: findings });
}

/** What the account may not look at is something to be said with the rest; that the cloud does not answer is not. */
function toFinding(error: unknown): Finding[] {
  if (!(error instanceof Fault) || error.code !== cloudsFaults.not_allowed.code) throw error;
  return [{ field: "account", message: error.message }];
}
