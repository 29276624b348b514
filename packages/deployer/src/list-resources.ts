import { readResources, type ConfiguredResource } from "@cloudwright/terraform";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The resources of a configuration's root module. */
export function listResources(folder: string): readonly ConfiguredResource[] {
  const names = readdirSync(folder).filter((name) => /\.(tf|tofu)(\.json)?$/.test(name));
  return readResources(names.map((name) => [name, readFileSync(join(folder, name), "utf8")] as const));
}
