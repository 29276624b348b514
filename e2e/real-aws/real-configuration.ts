import { createTerraformStack, type Run } from "@cloudwright/simulator/testing";
import { readdirSync } from "node:fs";
import { copyFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Moto, RealAws } from "./moto.ts";

/** A configuration of the product with the real provider, on moto. */
export interface RealConfiguration {
  /** Puts another version in the place of this one; the state stays. */
  use(place: string): Promise<void>;
  give(variables: object): Promise<void>;
  /** Says of resources what shall hold here in place of what the configuration says. */
  override(resource: object): Promise<void>;
  /** Runs a command that must succeed. */
  run(...args: readonly string[]): Promise<Run>;
  /** Runs one that may fail. */
  attempt(...args: readonly string[]): Promise<Run>;
  /** The addresses and what the next plan would do to them. */
  plan(): Promise<Readonly<Record<string, string>>>;
  outputs(): Promise<Readonly<Record<string, unknown>>>;
  close(): Promise<void>;
}

const infra = fileURLToPath(new URL("../../infra", import.meta.url));

/** Opens a configuration: `network/aws/v1.0.0`. */
export async function openRealConfiguration(
  { terraform, mirror }: RealAws & { readonly found: true },
  moto: Moto,
  place: string,
): Promise<RealConfiguration> {
  // Nothing but the mirror: whoever lacks a provider there is told so, and nobody is asked for it.
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
