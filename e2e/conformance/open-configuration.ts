import { createTerraformStack, type Run } from "@cloudwright/simulator/testing";
import { readdirSync } from "node:fs";
import { copyFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Adoption } from "./conformance-case.ts";
import type { RealProvider } from "./find-provider.ts";
import type { LocalCloud } from "./local-cloud.ts";
import { startProvider } from "./start-provider.ts";

/** One of the product's Terraform configurations, run with the real provider against a local server. */
export interface RealConfiguration {
  /** Switches to another version of the configuration but keeps the state. */
  use(place: string): Promise<void>;
  setVariables(variables: object): Promise<void>;
  /** Overrides parts of the configuration, for example `{ resource: { ... } }`. Each call replaces the previous override. */
  override(blocks: object): Promise<void>;
  /** Makes the next plan import existing resources. Each call replaces the imports of the previous call. */
  adopt(resources: Readonly<Record<string, Adoption>>): Promise<void>;
  /** Adds blocks to the configuration, for example `{ import: [ ... ] }`. Each call replaces the blocks of the previous call. */
  add(blocks: object): Promise<void>;
  /** Runs a Terraform command. Throws if it fails. */
  run(...args: readonly string[]): Promise<Run>;
  /** Runs a Terraform command that may fail. */
  attempt(...args: readonly string[]): Promise<Run>;
  /** Returns the planned action for each resource address that would change. */
  plan(): Promise<Readonly<Record<string, string>>>;
  outputs(): Promise<Readonly<Record<string, unknown>>>;
  close(): Promise<void>;
}

/** The folder that contains the product's Terraform configurations. */
export const infra = fileURLToPath(new URL("../../infra", import.meta.url));

/** Copies a configuration such as `network/gcp/v1.0.0` to a new working directory and initializes Terraform there. */
export async function openConfiguration(
  { terraform, mirror }: RealProvider & { readonly found: true },
  cloud: Pick<LocalCloud, "renderProvider" | "environment">,
  place: string,
): Promise<RealConfiguration> {
  // Providers come only from the mirror, so a missing provider causes an error instead of a download.
  const settings = `disable_checkpoint = true\nprovider_installation {\n  filesystem_mirror {\n    path = ${JSON.stringify(mirror)}\n  }\n}\n`;
  const environment = { ...cloud.environment };
  const stack = await createTerraformStack(terraform, { settings, environment });
  const run = async (...args: readonly string[]): Promise<Run> => {
    const result = await stack.run(...args);
    if (result.code !== 0) throw new Error(renderErrors(result));
    return result;
  };
  const write = (name: string, content: object): Promise<void> => writeFile(join(stack.directory, name), JSON.stringify(content));
  const use = async (from: string): Promise<void> => {
    for (const name of readdirSync(stack.directory).filter((file) => /\.tf(\.json)?$/.test(file))) {
      await rm(join(stack.directory, name));
    }
    for (const name of readdirSync(join(infra, from)).filter((file) => file.endsWith(".tf"))) {
      await copyFile(join(infra, from, name), join(stack.directory, name));
    }
    await write("provider_override.tf.json", { provider: cloud.renderProvider() });
  };
  await use(place);
  await run("init", "-input=false");
  const [providerName = ""] = Object.keys(cloud.renderProvider());
  const provider = await startProvider({ mirror, name: providerName, directory: stack.directory, environment });
  Object.assign(environment, provider.environment);
  return {
    use,
    setVariables: (variables) => write("terraform.tfvars.json", variables),
    add: (blocks) => write("suite.tf.json", blocks),
    override: (blocks) => write("suite_override.tf.json", blocks),
    async adopt(resources) {
      const known = Object.keys(resources).length === 0 ? [] : listIds(JSON.parse(await stack.readState()) as State);
      const ids = new Map(known);
      const blocks = Object.entries(resources).map(([to, { id, of = "" }]) => ({
        to,
        id: id.replace("{id}", ids.get(of) ?? of),
      }));
      await write("suite_imports.tf.json", { import: blocks });
    },
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
    async close() {
      await provider.close();
      await stack.remove();
    },
  };
}

/** Returns Terraform's error messages, or the whole output if it contains no JSON messages. */
function renderErrors({ events, output }: Run): string {
  const errors = events.flatMap(({ diagnostic }) => (diagnostic?.severity === "error" ? [diagnostic] : []));
  if (errors.length === 0) return output;
  return errors.map(({ address = "", summary, detail }) => `${address}: ${summary}\n${detail}`).join("\n");
}

interface State {
  readonly resources: readonly {
    readonly type: string;
    readonly name: string;
    readonly instances: readonly { readonly index_key?: string; readonly attributes: { readonly id?: string } }[];
  }[];
}

/** Returns the address and id of each resource in a state. */
function listIds({ resources }: State): [address: string, id: string][] {
  return resources.flatMap(({ type, name, instances }) =>
    instances.map(({ index_key: key, attributes: { id = "" } }): [string, string] => [
      key === undefined ? `${type}.${name}` : `${type}.${name}[${JSON.stringify(key)}]`,
      id,
    ]),
  );
}
