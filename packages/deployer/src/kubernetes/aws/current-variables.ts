import type { TaskNodePool } from "@cloudwright/contract";
import { objectOf, textOf } from "../../read-spec.ts";
import { getNetwork } from "../../find-network.ts";
import { renderTags } from "../../render-tags.ts";
import type { DeployedEntity, JsonObject, Surroundings } from "../../task.ts";
import { awsOf } from "./aws-of.ts";
import { readChoices, type Choices } from "./choices.ts";
import { chooseSubnets, readEndpoint, readVersion } from "./desired.ts";
import { renderAwsVariables } from "./variables.ts";

/** Default log types for clusters whose spec does not name any. They show who did what, at moderate cost. */
const usualLogTypes = ["api", "audit", "authenticator"];

/**
 * Renders the variables for configuration v1.1.0. Settings that are missing from the spec get the defaults that the cluster was created
 * with. Clusters created with an earlier version get none of the new defaults and keep their behaviour.
 */
export function renderCurrentVariables(entity: DeployedEntity<"Cluster">, around: Surroundings): JsonObject {
  const aws = awsOf(entity.spec);
  const choices = readChoices(around.outputs);
  const hasDefaults = choices.since !== "";
  const usualRanges = chooseUsualRanges(entity, around, choices);
  return {
    ...renderAwsVariables(entity, around),
    public_access_cidrs: chooseRanges(entity, hasDefaults ? usualRanges : ["0.0.0.0/0"]),
    log_types: listLogTypes(entity, around.outputs),
    support_type: aws.support.toUpperCase() || (hasDefaults ? (choices.supportType ?? "AUTO") : null),
    deletion_protection: aws.deletionProtection ?? (hasDefaults ? true : null),
    creator_arn: choices.creatorArn ?? (choices.isNew ? textOf(around.observed?.["principal"]) || null : null),
    kept_defaults: {
      since: choices.since || null,
      public_access_cidrs: usualRanges,
      support_type: choices.supportType ?? null,
    },
    ...(aws.rolePath === "" ? {} : { role_path: aws.rolePath }),
    permissions_boundary_arn: aws.permissionsBoundaryArn || null,
    node_volume_kms_key_arn: aws.nodeVolumeKmsKeyArn || null,
    node_pools: renderPools(entity, around, choices),
  };
}

/** Returns the control-plane log types that configuration v1.1.0 and later versions enable for a cluster. */
export function listLogTypes({ spec }: DeployedEntity<"Cluster">, outputs: JsonObject): string[] {
  const { logTypes } = awsOf(spec);
  if (logTypes.length > 0) return logTypes.filter((type) => type !== "none");
  return readChoices(outputs).since === "" ? [] : [...usualLogTypes];
}

/** Returns whether the agent's public address is needed. This is the case if nothing else determines who may access the public endpoint. */
export function needsAddress(entity: DeployedEntity<"Cluster">, around: Surroundings): boolean {
  const { isPublic, ranges } = readEndpoint(entity.spec.endpoint);
  const { since, publicRanges } = readChoices(around.outputs);
  return isPublic && ranges.length === 0 && publicRanges.length === 0 && since !== "";
}

/** Returns the ranges that apply if the spec does not name any: those that were chosen before, or else the agent's own address. */
function chooseUsualRanges(entity: DeployedEntity<"Cluster">, around: Surroundings, { publicRanges }: Choices): string[] {
  const address = textOf(around.observed?.["address"]);
  return needsAddress(entity, around) && address !== "" ? [`${address}/32`] : [...publicRanges];
}

function chooseRanges({ spec }: DeployedEntity<"Cluster">, usual: readonly string[]): string[] {
  const { isPublic, ranges } = readEndpoint(spec.endpoint);
  if (!isPublic) return [];
  return ranges.length > 0 ? ranges : [...usual];
}

function renderPools(entity: DeployedEntity<"Cluster">, around: Surroundings, choices: Choices): JsonObject {
  const rendered = objectOf(renderAwsVariables(entity, around)["node_pools"]);
  const named = new Map(around.nodePools.map((pool) => [pool.name, pool]));
  return Object.fromEntries(
    Object.entries(rendered).map(([name, pool]) => [
      name,
      { ...objectOf(pool), ...renderKept(entity, around, choices, name, named.get(name)), ...renderOwn(named.get(name)) },
    ]),
  );
}

/** Renders the pool settings that depend only on the pool's own spec and labels. */
function renderOwn(pool: TaskNodePool | undefined): JsonObject {
  if (pool === undefined) return {};
  const { name, labels, spec } = pool;
  const settings = spec.cloud.case === "aws" ? spec.cloud.value.bottlerocketSettings : "";
  return {
    ...(spec.instanceTypes.length === 0 ? {} : { instance_types: [...spec.instanceTypes] }),
    ...(settings === "" ? {} : { user_data: settings }),
    group_tags: renderTags("aws", { name, labels }),
  };
}

/** Renders the settings that an existing pool keeps until its nodes are replaced. A Kubernetes upgrade replaces all nodes. */
function renderKept(
  entity: DeployedEntity<"Cluster">,
  around: Surroundings,
  choices: Choices,
  name: string,
  pool: TaskNodePool | undefined,
): JsonObject {
  const kept = choices.findPool(name);
  const built = textOf(around.outputs["version"]);
  const isRenewed = built !== "" && built !== (readVersion(entity) ?? built);
  const tags = { ...renderTags("aws", entity), ...(pool === undefined ? {} : renderTags("aws", pool)) };
  const current =
    kept === undefined || isRenewed ? { encrypts_root: true, tags } : { encrypts_root: kept.encryptsRoot, tags: kept.tags };
  const workers = new Set(chooseSubnets(entity, getNetwork(entity, around)).workers);
  const isInPlace = kept !== undefined && kept.subnetIds.length > 0 && kept.subnetIds.every((id) => workers.has(id));
  const isZoned = (pool?.spec.zones.length ?? 0) > 0;
  return { ...current, tags: { ...current.tags }, ...(isInPlace && !isZoned ? { subnet_ids: [...kept.subnetIds] } : {}) };
}
