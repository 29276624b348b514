import { Fault } from "@cloudwright/platform/fault";
import { addExamples, onlyHere, type CommandContext, type Configure } from "../command-context.ts";
import { addCommonFlags, readCommonFlags } from "../common-flags.ts";
import type { Command } from "commander";
import { readConfig, writeConfig, type Config, type ContextEntry } from "../connection/config-file.ts";
import { resolveTarget } from "../connection/target.ts";
import { cliFaults } from "../faults.ts";
import { createOutput, isStructured } from "../output/output.ts";

/** `cloud context list|use|delete|show`: manages contexts. A context consists of a server, an API key and a project. */
export const configureContext: Configure = (command, context) => {
  addCommonFlags(command);
  addExamples(command, "cloud context list", "cloud context use prod");
  configureList(command.command("list").description("List contexts."), context);
  configureShow(command.command("show").description("Show the current server, project and context."), context);
  configureUse(command.command("use").argument("<name>", "name of the context").description("Select a context."), context);
  configureDelete(command.command("delete").argument("<name>", "name of the context").description("Delete a context."), context);
};

function configureList(command: Command, { world }: CommandContext): void {
  addExamples(command, "cloud context list -o json");
  onlyHere(command, async (_args, _flags, self) => {
    const { currentContext, contexts } = await readConfig(world.home);
    const output = createOutput(world, readCommonFlags(self));
    const rows = Object.entries(contexts).map(([name, entry]) => ({
      name,
      current: name === currentContext,
      ...withoutKey(entry),
    }));
    if (isStructured(output.format)) return output.structure({ items: rows });
    if (output.format === "name") return rows.forEach(({ name }) => output.line(name));
    if (rows.length === 0) return output.note("no contexts; `cloud login` creates one");
    output.table(
      [
        { title: "CURRENT", value: ({ current }) => (current ? "*" : "") },
        { title: "NAME", value: ({ name }) => name },
        { title: "SERVER", value: ({ server }) => server },
        { title: "PROJECT", value: ({ project }) => project },
        { title: "KEY", value: ({ hasKey }) => (hasKey ? "yes" : "no") },
      ],
      rows,
    );
  });
}

function configureShow(command: Command, { world }: CommandContext): void {
  addExamples(command, "cloud context show -o json");
  onlyHere(command, async (_args, _flags, self) => {
    const flags = readCommonFlags(self);
    const output = createOutput(world, flags);
    const { server, project, context, apiKey } = await resolveTarget(world, flags);
    const shown = { context: context ?? null, server, project, hasKey: apiKey !== undefined };
    if (isStructured(output.format)) return output.structure(shown);
    output.line(
      `context: ${context ?? "none"}\nserver:  ${server}\nproject: ${project}\nkey:     ${apiKey === undefined ? "no" : "yes"}`,
    );
  });
}

function configureUse(command: Command, { world }: CommandContext): void {
  addExamples(command, "cloud context use prod");
  onlyHere(command, async ([name = ""], _flags, self) => {
    const config = await readConfig(world.home);
    requireContext(config, name);
    await writeConfig(world.home, { ...config, currentContext: name });
    createOutput(world, readCommonFlags(self)).done(`using context ${name}`);
  });
}

function configureDelete(command: Command, { world }: CommandContext): void {
  addExamples(command, "cloud context delete old");
  onlyHere(command, async ([name = ""], _flags, self) => {
    const config = await readConfig(world.home);
    requireContext(config, name);
    const { [name]: _gone, ...contexts } = config.contexts;
    const { currentContext, ...rest } = config;
    const current = currentContext === undefined || currentContext === name ? {} : { currentContext };
    await writeConfig(world.home, { ...rest, ...current, contexts });
    createOutput(world, readCommonFlags(self)).done(`deleted context ${name}`);
  });
}

function requireContext(config: Config, name: string): void {
  if (config.contexts[name] === undefined) throw new Fault(cliFaults.no_context, `there is no context "${name}"`);
}

function withoutKey({ server, project = "default", apiKey }: ContextEntry): { server: string; project: string; hasKey: boolean } {
  return { server, project, hasKey: apiKey !== undefined };
}
