import { cloudNames } from "@cloudwright/contract/clouds";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { listCloudNames, listNamesInText } from "./list-cloud-names.ts";
import { listTrackedFiles, report } from "./workspace.ts";

// Everything specific to a cloud must be in that cloud's own folder. Generic code uses the registries, so that adding a cloud does not
// require changes to generic code.
const root = process.cwd();
const clouds = cloudNames.join("|");

/** Folders that belong to one cloud. They are named `<cloud>/`. */
const cloudFolders = [
  new RegExp(`^packages/(clouds|simulator)/src/(${clouds})/`),
  new RegExp(`^packages/contract/src/clouds/(${clouds})/`),
  new RegExp(`^packages/deployer/src/(.+/)?(${clouds})/`),
  new RegExp(`^policies/(${clouds})/`),
  // Contains forms and summaries for the fields of one cloud.
  new RegExp(`^apps/console/src/clouds/(${clouds})/`),
];

/** Files outside the cloud folders that may name clouds, with the reason. */
const exceptions: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/^packages\/contract\/src\/clouds\/index\.ts$/, "the registry of facts"],
  [/^packages\/contract\/src\/clouds\/rules\.ts$/, "the registry of validation rules"],
  [/^packages\/clouds\/src\/(providers|policies)\.ts$/, "the registries of providers and their policies"],
  [/^packages\/clouds\/src\/library\.ts$/, "the registry of library factories"],
  [/^packages\/clouds\/src\/library\//, "published comments say how a field applies to each cloud"],
  [/^packages\/deployer\/src\/clouds\.ts$/, "the registry of stacks, checks and add-ons"],
  [
    /^packages\/simulator\/src\/(clouds|managed-kubernetes|index|bundle)\.ts$/,
    "the registry of simulated clouds, and the entry points that export and start it",
  ],
  [/^packages\/simulator\/scripts\//, "builds the schemas of the simulated providers"],
  [/^packages\/clouds\/scripts\//, "derives types from the clouds' API descriptions"],
  [/^apps\/console\/src\/clouds\/registry\.ts$/, "the registry of forms"],
  [/^packages\/terraform\/src\/(driver\/backends\/|index\.ts$)/, "s3, gcs and azurerm are Terraform's own state backends"],
  [/^packages\/contract\/src\/state-backends\.ts$/, "facts about Terraform's own state backends"],
  [
    /^packages\/deployer\/src\/executor\/terraform\/external-backend\.ts$/,
    "reads the settings of Terraform's own state backends",
  ],
  [/^policies\/plan-safety\.yaml$/, "one rule covers the resource types of all Terraform providers"],
  [/^scripts\/(check-clouds|list-cloud-names)\.ts$/, "this guard"],
];

const violations = listTrackedFiles(root)
  .filter(isGeneric)
  .flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8");
    const mentions = file.endsWith(".yaml") ? listNamesInText(text) : listCloudNames(file, text);
    return mentions.map(
      ({ line, word }) => `${file}:${line} names the cloud "${word}"; ask the registry, or move it to a cloud's folder`,
    );
  });
report("clouds", violations);

/** Returns whether a file is product code that must not name any cloud. Tests, generated files, docs, e2e and bench may name clouds. */
function isGeneric(file: string): boolean {
  return (
    /^((apps|packages|scripts)\/.*\.tsx?|policies\/.*\.yaml)$/.test(file) &&
    !/\.(test|e2e)\.tsx?$|\/(gen|testing|fixtures)\//.test(file) &&
    !cloudFolders.some((pattern) => pattern.test(file)) &&
    !exceptions.some(([pattern]) => pattern.test(file))
  );
}
