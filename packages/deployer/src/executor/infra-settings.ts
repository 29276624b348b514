import { Fault, findText } from "@cloudwright/platform";
import type { IgnoreRule } from "@cloudwright/terraform";
import { deployerFaults } from "../faults.ts";
import type { DeployedEntity, JsonObject } from "../task.ts";

/** Settings from `spec.infra`. */
export interface InfraSettings {
  readonly version: string | undefined;
  readonly ignore: readonly IgnoreRule[];
  readonly overrides: JsonObject | undefined;
  readonly backend:
    | { readonly name: string; readonly type: string; readonly settings: Readonly<Record<string, string>> }
    | undefined;
}

/** Reads `spec.infra`. Treats empty values as unset. */
export function readInfraSettings({ name, spec }: Pick<DeployedEntity, "name" | "spec">): InfraSettings {
  const { version = "", ignore = [], overrides = {}, backend } = ("infra" in spec ? spec.infra : undefined) ?? {};
  return {
    version: findText(version),
    ignore: ignore.map(({ address, path }) => {
      if (address === "" || path === "") {
        throw new Fault(deployerFaults.bad_spec, `a rule in spec.infra.ignore of ${name} lacks an address or a path`);
      }
      // Terraform's `ignore_changes` applies to all instances of a resource, so the instance key is removed.
      return { address: address.replace(/\[.*/s, ""), path };
    }),
    overrides: Object.keys(overrides).length === 0 ? undefined : overrides,
    backend: backend === undefined ? undefined : readBackend(backend),
  };
}

function readBackend({
  name = "",
  type = "",
  settings = {},
}: {
  readonly name?: string;
  readonly type?: string;
  readonly settings?: Readonly<Record<string, string>>;
}): InfraSettings["backend"] {
  const isUnset = name === "" && type === "" && Object.keys(settings).length === 0;
  return isUnset ? undefined : { name, type, settings: { ...settings } };
}
