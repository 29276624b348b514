import { Fault } from "@cloudwright/platform";
import { allowOverrides, checkOverrides } from "@cloudwright/terraform";
import { deployerFaults } from "../../faults.ts";
import type { Stack } from "../../stack.ts";
import type { DeployedAccount } from "../../task.ts";
import type { ExecutorAction, ExecutorWork } from "../executor.ts";
import { chooseConfiguration, findBuiltConfiguration } from "./choose-configuration.ts";
import { listConfigurations, ownConfigurations, type Configuration } from "./configurations.ts";
import { readInfraSettings, type InfraSettings } from "../infra-settings.ts";

/** The stack, configuration, account and settings of a Terraform run. */
export interface Subject {
  readonly stack: Stack;
  readonly configuration: Configuration;
  readonly account: DeployedAccount;
  readonly settings: InfraSettings;
  /** The configuration version that built the entity. Undefined if this run uses the same version. */
  readonly upgradedFrom: string | undefined;
}

/** Actions that use the configuration that built the entity. All others use the version that the spec requests. */
const existing: ReadonlySet<ExecutorAction> = new Set(["destroy", "findDrift", "adoptResource", "forgetResource"]);

/**
 * Chooses the configuration for a task. Configurations in `roots` take precedence over the built-in ones. Throws if the version does not
 * exist, is not a direct upgrade, or does not allow the spec's overrides.
 */
export function chooseSubject(
  roots: readonly string[],
  stack: Stack,
  { task, account, action }: Omit<ExecutorWork, "session">,
): Subject {
  const { service, folder } = stack;
  const { entity, outputs } = task.payload;
  const settings = stateOnly.has(action) ? forRemoval(readInfraSettings(entity)) : readInfraSettings(entity);
  const known = listConfigurations([...roots, ownConfigurations], folder ?? service, account.cloud);
  const current = outputs["infra_version"];
  const versions = { current: typeof current === "string" ? current : undefined, wanted: settings.version };
  const choose = existing.has(action) ? findBuiltConfiguration : chooseConfiguration;
  const configuration = choose(`the ${service} service in the cloud "${account.cloud}"`, known, versions);
  rejectOverrides(configuration, account.cloud, settings);
  const upgradedFrom = versions.current === configuration.version ? undefined : versions.current;
  return { stack, configuration, account, settings, upgradedFrom };
}

/** Actions that depend on the state and not on the spec. */
const stateOnly: ReadonlySet<ExecutorAction> = new Set(["destroy", "adoptResource", "forgetResource"]);

// Deletions and repairs do not need ignore rules or overrides. Dropping them keeps the entity deletable even if Terraform rejects them.
function forRemoval(settings: InfraSettings): InfraSettings {
  return { ...settings, ignore: [], overrides: undefined };
}

// The API checks overrides too, but a stored spec may predate the current rules. Overrides run as code on this agent.
function rejectOverrides({ providers }: Configuration, cloud: string, { overrides }: InfraSettings): void {
  if (overrides === undefined) return;
  const names = Object.keys(providers).map((source) => source.split("/").at(-1) ?? source);
  const problems = checkOverrides(overrides, allowOverrides(cloud, names));
  if (problems.length === 0) return;
  const fields = problems.map(({ path, message }) => ({ field: `spec.infra.overrides.${path}`, message }));
  const [first] = fields;
  throw new Fault(deployerFaults.bad_overrides, `${first?.field ?? ""}: ${first?.message ?? ""}`, { fields });
}
