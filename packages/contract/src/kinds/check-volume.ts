import type { FieldViolation } from "@cloudwright/platform";
import type { Volume } from "../../gen/cloudwright/v1/volume_pb.ts";
import { findTerraformSettings } from "./find-terraform-settings.ts";

/** Rejects settings that apply to Terraform only. */
export function checkVolume({ spec }: Volume): FieldViolation[] {
  return findTerraformSettings(spec?.infra);
}
