import { Fault } from "@cloudwright/platform";
import { compareVersions, isVersion, readResources, type IgnoreRule } from "@cloudwright/terraform";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { deployerFaults } from "../../faults.ts";

/** One version of a Terraform configuration. */
export interface Configuration {
  /** For example `v0.1.0`. */
  readonly version: string;
  readonly folder: string;
  /** The supported Terraform versions, as a version constraint. */
  readonly terraform: string;
  readonly providers: Readonly<Record<string, string>>;
  /** Versions that can be upgraded directly to this one. */
  readonly upgradesFrom: readonly string[];
  /** Attributes that may be changed outside the platform, for example the routes of a route table. Such changes are not drift. */
  readonly notDrift: readonly IgnoreRule[];
}

/** The folder of the built-in configurations. */
export const ownConfigurations = join(import.meta.dirname, "../../../../../infra");

/**
 * Lists all versions of a service's configuration for a cloud, oldest first. If several roots contain the same version, the first root
 * wins.
 */
export function listConfigurations(roots: readonly string[], service: string, cloud: string): readonly Configuration[] {
  const folders = new Map<string, string>();
  for (const root of roots) {
    for (const version of listVersions(join(root, service, cloud))) {
      if (!folders.has(version)) folders.set(version, join(root, service, cloud, version));
    }
  }
  const versions = [...folders.keys()].toSorted((a, b) => compareVersions(a.slice(1), b.slice(1)));
  return versions.map((version) => readConfiguration(folders.get(version) ?? "", version));
}

/** Returns the resources that a configuration declares, each in the form `type.name`. */
export function listDeclared({ folder }: Pick<Configuration, "folder">): readonly string[] {
  const names = readdirSync(folder).filter((name) => /\.(tf|tofu)(\.json)?$/.test(name));
  const sources = names.map((name) => [name, readFileSync(join(folder, name), "utf8")] as const);
  return readResources(sources).map(({ type, name }) => `${type}.${name}`);
}

function listVersions(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.startsWith("v") && isVersion(name.slice(1)));
  } catch {
    return [];
  }
}

function readConfiguration(folder: string, version: string): Configuration {
  const file = join(folder, "stack.json");
  try {
    const {
      terraform,
      providers,
      upgradesFrom,
      notDrift = [],
    } = JSON.parse(readFileSync(file, "utf8")) as Partial<Configuration>;
    if (typeof terraform !== "string" || typeof providers !== "object" || !Array.isArray(upgradesFrom)) {
      throw new TypeError("terraform, providers and upgradesFrom are required");
    }
    return { version, folder, terraform, providers, upgradesFrom, notDrift };
  } catch (cause) {
    throw new Fault(deployerFaults.bad_stack, `${file} is invalid or cannot be read`, { cause });
  }
}
