import type { CheckOverrides } from "@cloudwright/api";
import { findCloud } from "@cloudwright/contract/clouds";
import { allowOverrides, checkOverrides as findProblems } from "@cloudwright/terraform/overrides";

// Utility providers that compute values locally and never call a cloud API.
const pure = ["random", "time", "tls"];

/**
 * Checks overrides before the entity is stored, so that users see mistakes immediately. The agent checks them again against the
 * configuration.
 */
export const checkOverrides: CheckOverrides = ({ cloud }, overrides) =>
  findProblems(overrides, allowOverrides(cloud, [...(findCloud(cloud)?.terraform.providers ?? []), ...pure]));
