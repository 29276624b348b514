import type { FieldViolation } from "@cloudwright/platform";
import type { Volume } from "../../gen/cloudwright/v1/volume_pb.ts";
import type { VolumeSnapshot } from "../../gen/cloudwright/v1/volume_snapshot_pb.ts";
import { findTerraformSettings } from "./find-terraform-settings.ts";

/** Rejects settings that apply to Terraform only. */
export function checkVolume({ spec }: Volume | VolumeSnapshot): FieldViolation[] {
  return findTerraformSettings(spec?.infra);
}
