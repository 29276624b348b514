import type { FieldViolation } from "@cloudwright/platform";
import type { Infra } from "../../gen/cloudwright/v1/infra_pb.ts";

/** Returns a violation for each setting that applies to Terraform only, for kinds that are built without it. */
export function findTerraformSettings(infra: Infra | undefined): FieldViolation[] {
  const settings = [
    ["version", infra !== undefined && infra.version !== ""],
    ["overrides", infra?.overrides !== undefined],
    ["backend", infra?.backend !== undefined],
  ] as const;
  return settings.flatMap(([name, isSet]) =>
    isSet ? [{ field: `spec.infra.${name}`, message: "must not be set, because it applies to Terraform only" }] : [],
  );
}
