import type { CheckOverrides } from "@cloudwright/api";
import { findCloud } from "@cloudwright/contract/clouds";
import { checkOverrides as findProblems, taggingAttributes } from "@cloudwright/terraform/overrides";

// Providers that compute values and call no cloud.
const pure = ["random", "time", "tls"];

/** Checks overrides before anything is stored, so that users see mistakes at once. The agent checks again, against the configuration itself. */
export const checkOverrides: CheckOverrides = ({ cloud }, overrides) =>
  findProblems(overrides, {
    providers: [...(findCloud(cloud)?.terraform.providers ?? []), ...pure],
    reserved: taggingAttributes,
  });
