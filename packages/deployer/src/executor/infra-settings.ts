import { Fault, findText } from "@cloudwright/platform";
import type { IgnoreRule } from "@cloudwright/terraform";
import { deployerFaults } from "../faults.ts";
import type { DeployedEntity, JsonObject } from "../task.ts";

/** The settings of `spec.infra` that a deployer acts on. */
export interface InfraSettings {
  readonly version: string | undefined;
  readonly ignore: readonly IgnoreRule[];
  readonly overrides: JsonObject | undefined;
  readonly backend: { readonly type: string; readonly settings: Readonly<Record<string, string>> } | undefined;
}

/** Reads `spec.infra`. Empty settings count as unset. */
export function readInfraSettings({ name, spec }: Pick<DeployedEntity, "name" | "spec">): InfraSettings {
  const { version = "", ignore = [], overrides = {}, backend } = ("infra" in spec ? spec.infra : undefined) ?? {};
  return {
    version: findText(version),
    ignore: ignore.map(({ address, path }) => {
      if (address === "" || path === "") {
        throw new Fault(deployerFaults.bad_spec, `a rule in spec.infra.ignore of ${name} has no address or no path`);
      }
      // Terraform cannot ignore an attribute of a single instance.
      return { address: address.replace(/\[.*$/s, ""), path };
    }),
    overrides: Object.keys(overrides).length === 0 ? undefined : overrides,
    backend: backend === undefined || backend.type === "" ? undefined : { type: backend.type, settings: { ...backend.settings } },
  };
}
