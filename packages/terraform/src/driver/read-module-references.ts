import { isObject, listOf, objectOf, parseJson, textOf } from "@cloudwright/platform";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ReadModuleReferences } from "../reading/dependencies.ts";
import { readReferences, type FileReferences } from "../reading/read-references.ts";

/** Reads the references in the files of a configuration and of the modules that init installed. */
export function readModuleReferences(directory: string): ReadModuleReferences {
  const none: FileReferences = new Map();
  let folders: ReadonlyMap<string, string> | undefined;
  return (path) => {
    folders ??= path === "" ? undefined : listFolders(directory);
    const folder = path === "" ? directory : folders?.get(path);
    if (folder === undefined || !existsSync(folder)) return none;
    const names = readdirSync(folder).filter((name) => /\.(tf|tofu)(\.json)?$/.test(name));
    return readReferences(names.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
  };
}

function listFolders(directory: string): ReadonlyMap<string, string> {
  const file = join(directory, ".terraform", "modules", "modules.json");
  const list = existsSync(file) ? objectOf(parseJson(readFileSync(file, "utf8")))["Modules"] : [];
  const known = listOf(list).filter(isObject);
  return new Map(known.map((each) => [textOf(each["Key"]), join(directory, textOf(each["Dir"]))]));
}
