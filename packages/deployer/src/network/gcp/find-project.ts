import { findText, isObject } from "@cloudwright/platform";
import type { DeployedAccount } from "../../task.ts";

/** Returns the id of the account's Google Cloud project. Returns undefined if the account takes the project from its credentials. */
export function findProject({ spec }: Pick<DeployedAccount, "spec">): string | undefined {
  const { gcp } = spec;
  const project = isObject(gcp) ? findText(gcp["projectId"]) : undefined;
  return project === "" ? undefined : project;
}
