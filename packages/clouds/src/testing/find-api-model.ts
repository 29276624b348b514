import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** An API model, or the reason why it is not available. The models are stored next to the repository, in `shared/data`. */
export type ApiModelProbe =
  | { readonly found: true; readonly model: unknown }
  | { readonly found: false; readonly reason: string };

/** Finds one of the clouds' API models, such as `aws/eks.json`, in `shared/data/cloud-apis` of the nearest parent folder that has it. */
export function findApiModel(file: string): ApiModelProbe {
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    const path = join(folder, "shared/data/cloud-apis", file);
    if (existsSync(path)) return { found: true, model: JSON.parse(readFileSync(path, "utf8")) as unknown };
  }
  return { found: false, reason: `the API model shared/data/cloud-apis/${file} is not on this machine` };
}
