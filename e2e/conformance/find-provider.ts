import { processEnvironment, requireTool } from "@cloudwright/platform";
import { existsSync } from "node:fs";
import { join } from "node:path";

/** The paths of the Terraform binary and of a mirror that contains the real provider, or the reason why either is missing. */
export type RealProvider =
  | { readonly found: true; readonly terraform: string; readonly mirror: string }
  | { readonly found: false; readonly reason: string };

/** Finds Terraform, and a provider such as `hashicorp/google` in the mirror folder that CLOUDWRIGHT_PROVIDER_MIRROR specifies. */
export function findProvider(name: string): RealProvider {
  const mirror = processEnvironment["CLOUDWRIGHT_PROVIDER_MIRROR"] ?? "";
  const place = join("registry.terraform.io", name);
  if (mirror === "" || !existsSync(join(mirror, place))) {
    return { found: false, reason: `CLOUDWRIGHT_PROVIDER_MIRROR does not name a folder that contains ${place}` };
  }
  const terraform = requireTool("terraform");
  return terraform.found ? { found: true, terraform: terraform.path, mirror } : terraform;
}
