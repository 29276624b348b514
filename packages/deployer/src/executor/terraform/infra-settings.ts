import { Fault, findText, objectOf } from "@cloudwright/platform";
import type { IgnoreRule } from "@cloudwright/terraform";
import { deployerFaults } from "../../faults.ts";
import type { DeployedEntity, JsonObject } from "../../task.ts";

/** What an entity says in `spec.infra` of how it is built and kept, as far as a deployer acts on it. */
export interface InfraWishes {
  readonly version: string | undefined;
  readonly ignore: readonly IgnoreRule[];
  readonly overrides: JsonObject | undefined;
  readonly backend: { readonly type: string; readonly settings: Readonly<Record<string, string>> } | undefined;
}

/** Reads `spec.infra`; what the API leaves out or empty is no wish. */
export function readInfraWishes({ name, spec }: Pick<DeployedEntity, "name" | "spec">): InfraWishes {
  const infra = objectOf(spec["infra"]);
  const overrides = objectOf(infra["overrides"]);
  const backend = objectOf(infra["backend"]);
  const type = findText(backend["type"]);
  const rules = Array.isArray(infra["ignore"]) ? infra["ignore"].map((rule) => objectOf(rule)) : [];
  return {
    version: findText(infra["version"]),
    ignore: rules.map((rule) => {
      const [address, path] = [findText(rule["address"]), findText(rule["path"])];
      if (address === undefined || path === undefined) {
        throw new Fault(deployerFaults.bad_spec, `a rule of spec.infra.ignore of ${name} lacks its address or its path`);
      }
      // Terraform ignores an attribute in all instances of a resource, or in none.
      return { address: address.replace(/\[.*$/s, ""), path };
    }),
    overrides: Object.keys(overrides).length === 0 ? undefined : overrides,
    backend: type === undefined ? undefined : { type, settings: readTexts(objectOf(backend["settings"])) },
  };
}

function readTexts(settings: JsonObject): Record<string, string> {
  return Object.fromEntries(
    Object.entries(settings).flatMap(([key, value]) => (typeof value === "string" ? [[key, value]] : [])),
  );
}
