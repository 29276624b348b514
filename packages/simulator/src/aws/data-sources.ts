import type { DataSourceHooks } from "../provider/definition.ts";
import { clusterData } from "./data/clusters.ts";
import { identity } from "./data/identity.ts";
import { lookups } from "./data/lookups.ts";
import { policyDocument } from "./data/policy-document.ts";

/** The data sources that the AWS simulator supports, keyed by type name. */
export const dataSources: Readonly<Record<string, DataSourceHooks>> = {
  ...identity,
  ...lookups,
  ...clusterData,
  aws_iam_policy_document: policyDocument,
};
