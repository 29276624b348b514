import { createTerraformStack, type Run } from "@cloudwright/simulator/testing";
import { readdirSync } from "node:fs";
import { copyFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Moto, RealAws } from "./moto.ts";

/** A configuration of the product, run with the real AWS provider against moto. */
export interface RealConfiguration {
  /** Switches to another version of the configuration but keeps the state. */
  use(place: string): Promise<void>;
  give(variables: object): Promise<void>;
  /** Overrides arguments of resources in the configuration. */
  override(resource: object): Promise<void>;
  /** Runs a Terraform command. Throws if it fails. */
  run(...args: readonly string[]): Promise<Run>;
  /** Runs a Terraform command that may fail. */
  attempt(...args: readonly string[]): Promise<Run>;
  /** Returns the planned action for each resource address that would change. */
  plan(): Promise<Readonly<Record<string, string>>>;
  outputs(): Promise<Readonly<Record<string, unknown>>>;
  close(): Promise<void>;
}

const infra = fileURLToPath(new URL("../../infra", import.meta.url));

/** Opens a configuration such as `network/aws/v1.0.0`. */
export async function openRealConfiguration(
  { terraform, mirror }: RealAws & { readonly found: true },
  moto: Moto,
  place: string,
): Promise<RealConfiguration> {
  // Providers come only from the mirror, so a missing provider causes an error instead of a download.
  const settings = `disable_checkpoint = true\nprovider_installation {\n  filesystem_mirror {\n    path = ${JSON.stringify(mirror)}\n  }\n}\n`;
  const stack = await createTerraformStack(terraform, { settings });
  const run = async (...args: readonly string[]): Promise<Run> => {
    const result = await stack.run(...args);
    if (result.code !== 0) throw new Error(result.output);
    return result;
  };
  const use = async (from: string): Promise<void> => {
    for (const name of readdirSync(stack.directory).filter((file) => /\.tf(\.json)?$/.test(file))) {
      await rm(join(stack.directory, name));
    }
    for (const name of readdirSync(join(infra, from)).filter((file) => file.endsWith(".tf"))) {
      await copyFile(join(infra, from, name), join(stack.directory, name));
    }
    await writeFile(join(stack.directory, "moto_override.tf.json"), JSON.stringify(moto.renderProvider()));
  };
  await use(place);
  await run("init", "-input=false");
  return {
    use,
    give: (variables) => writeFile(join(stack.directory, "terraform.tfvars.json"), JSON.stringify(variables)),
    override: (resource) => writeFile(join(stack.directory, "suite_override.tf.json"), JSON.stringify({ resource })),
    run,
    attempt: stack.run,
    async plan() {
      const { events } = await run("plan", "-input=false", "-json");
      const changes = events.flatMap(({ type, change }) => (type === "planned_change" && change !== undefined ? [change] : []));
      return Object.fromEntries(changes.map(({ action, resource }) => [resource.addr, action]));
    },
    async outputs() {
      const all = JSON.parse((await run("output", "-json")).output) as Record<string, { value: unknown }>;
      return Object.fromEntries(Object.entries(all).map(([name, { value }]) => [name, value]));
    },
    close: () => stack.remove(),
  };
}
