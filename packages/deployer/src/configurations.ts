import { Fault } from "@cloudwright/platform";
import { compareVersions, isVersion } from "@cloudwright/terraform";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { deployerFaults } from "./faults.ts";

/** One released configuration. */
export interface Configuration {
  /** For example `v0.1.0`. */
  readonly version: string;
  readonly folder: string;
  /** The range of Terraform that it is for. */
  readonly terraform: string;
  readonly providers: Readonly<Record<string, string>>;
  /** The versions from which an entity may come to this one. */
  readonly upgradesFrom: readonly string[];
}

/** The configurations that come with the product. */
export const ownConfigurations = join(import.meta.dirname, "../../../infra");

/** Finds `<root>/<service>/<cloud>/<version>`: the version that is asked for, or the newest. */
export function findConfiguration(root: string, service: string, cloud: string, version?: string): Configuration {
  const versions = listVersions(join(root, service, cloud));
  const found = version === undefined ? versions.at(-1) : versions.find((each) => each === version);
  if (found === undefined) {
    const wanted = version === undefined ? "" : ` of version ${version}`;
    throw new Fault(deployerFaults.no_stack, `there is no configuration${wanted} for ${service} in the cloud "${cloud}"`);
  }
  return readConfiguration(join(root, service, cloud, found), found);
}

function listVersions(folder: string): string[] {
  try {
    const names = readdirSync(folder).filter((name) => name.startsWith("v") && isVersion(name.slice(1)));
    return names.toSorted((a, b) => compareVersions(a.slice(1), b.slice(1)));
  } catch {
    return [];
  }
}

function readConfiguration(folder: string, version: string): Configuration {
  const file = join(folder, "stack.json");
  try {
    const { terraform, providers, upgradesFrom } = JSON.parse(readFileSync(file, "utf8")) as Partial<Configuration>;
    if (typeof terraform !== "string" || typeof providers !== "object" || !Array.isArray(upgradesFrom)) {
      throw new TypeError("terraform, providers and upgradesFrom are needed");
    }
    return { version, folder, terraform, providers, upgradesFrom };
  } catch (cause) {
    throw new Fault(deployerFaults.bad_stack, `${file} cannot be used`, { cause });
  }
}
