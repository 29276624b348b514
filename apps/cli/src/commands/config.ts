import { Fault } from "@cloudwright/platform/fault";
import type { Command } from "commander";
import { addExamples, onlyHere, type CommandContext, type Configure } from "../command-context.ts";
import { addCommonFlags, readCommonFlags } from "../common-flags.ts";
import { configPath, readConfig, writeConfig, type Config } from "../connection/config-file.ts";
import { cliFaults } from "../faults.ts";
import { createOutput, isStructured, renderYaml } from "../output/output.ts";

const settings = ["server", "project"] as const;
type Setting = (typeof settings)[number];

/** `cloud config view|get|set|path`: shows and edits the configuration file. API keys are never shown, and only `cloud login` sets them. */
export const configureConfig: Configure = (command, context) => {
  addCommonFlags(command);
  addExamples(command, "cloud config view", "cloud config set project shop");
  configureView(command.command("view").description("Show config.yaml without API keys."), context);
  configureGet(
    command.command("get").argument("<setting>", settings.join(" or ")).description("Show a setting of the current context."),
    context,
  );
  configureSet(
    command
      .command("set")
      .argument("<setting>", settings.join(" or "))
      .argument("<value>")
      .description("Change a setting of the current context."),
    context,
  );
  configurePath(command.command("path").description("Print the path of config.yaml."), context);
};

function configureView(command: Command, { world }: CommandContext): void {
  addExamples(command, "cloud config view -o json");
  onlyHere(command, async (_args, _flags, self) => {
    const output = createOutput(world, readCommonFlags(self));
    const config = hideKeys(await readConfig(world.home));
    if (isStructured(output.format)) await output.structure(config);
    else output.line((await renderYaml(config)).trimEnd());
  });
}

function configureGet(command: Command, { world }: CommandContext): void {
  addExamples(command, "cloud config get project");
  onlyHere(command, async ([setting = ""], _flags, self) => {
    const flags = readCommonFlags(self);
    const { entry } = currentEntry(await readConfig(world.home), flags.context);
    const value = entry[requireSetting(setting)];
    if (value !== undefined) createOutput(world, flags).line(value);
  });
}

function configureSet(command: Command, { world }: CommandContext): void {
  addExamples(command, "cloud config set project shop", "cloud config set --context prod server https://cloud.example.com");
  onlyHere(command, async ([setting = "", value = ""], _flags, self) => {
    const flags = readCommonFlags(self);
    const config = await readConfig(world.home);
    const { name, entry } = currentEntry(config, flags.context);
    const field = requireSetting(setting);
    if (field === "server" && !/^https?:\/\/./.test(value))
      throw new Fault(cliFaults.usage, `"${value}" is not a valid server address; use a URL such as https://cloud.example.com`);
    // An API key is valid only on the server that issued it and must not be sent to another server.
    const { apiKey, ...rest } = entry;
    const kept = apiKey === undefined || (field === "server" && value !== entry.server) ? rest : entry;
    await writeConfig(world.home, { ...config, contexts: { ...config.contexts, [name]: { ...kept, [field]: value } } });
    const output = createOutput(world, flags);
    output.done(`context ${name}: ${field} set to ${value}`);
    if (apiKey !== undefined && !("apiKey" in kept))
      output.note("the stored key was removed, because it belongs to the previous server; run `cloud login`");
  });
}

function configurePath(command: Command, { world }: CommandContext): void {
  addExamples(command, 'cat "$(cloud config path)"');
  onlyHere(command, (_args, _flags, self) => createOutput(world, readCommonFlags(self)).line(configPath(world.home)));
}

function requireSetting(text: string): Setting {
  const setting = settings.find((known) => known === text);
  if (setting === undefined)
    throw new Fault(cliFaults.usage, `unknown setting "${text}"; available settings: ${settings.join(", ")}`);
  return setting;
}

function currentEntry(config: Config, wanted: string | undefined): { name: string; entry: Config["contexts"][string] } {
  const name = wanted ?? config.currentContext;
  const entry = name === undefined ? undefined : config.contexts[name];
  if (name === undefined || entry === undefined)
    throw new Fault(cliFaults.no_context, name === undefined ? "no context is selected" : `there is no context "${name}"`);
  return { name, entry };
}

function hideKeys(config: Config): Config {
  const contexts = Object.entries(config.contexts).map(([name, entry]) => [
    name,
    entry.apiKey === undefined ? entry : { ...entry, apiKey: "[secret]" },
  ]);
  return { ...config, contexts: Object.fromEntries(contexts) as Config["contexts"] };
}
